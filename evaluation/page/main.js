// Puts the page together, and follows the address.

setTheme("");
const questions = await unpack("questions");
document.getElementById("theme").addEventListener("click", switchTheme);
document.getElementById("title").textContent = data.title;
document.getElementById("kind").textContent = comparing ? "Comparison of runs" : "Evaluation report";
document.getElementById("overview").replaceChildren(
  ...(comparing ? compareOverview(data) : reportOverview(questions)));
setUpQuestions(questions);

function follow() {
  showQuestions();
  showDetail();
}

window.addEventListener("hashchange", follow);
const dialog = document.getElementById("detail");
dialog.addEventListener("close", closeDetail);
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside it
follow();
document.documentElement.dataset.ready = "yes";
