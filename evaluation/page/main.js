// Puts the page together, and follows the address.

const questions = await unpack("questions");
const tracesOf = async (place) => (await unpack(`traces-${Math.floor(place / data.chunk)}`))[place % data.chunk];
setUpPage();
document.getElementById("kind").textContent = comparing ? "Comparison of runs" : "Evaluation report";
document.getElementById("overview").replaceChildren(
  ...(comparing ? compareOverview(data) : reportOverview(questions)));
setUpQuestions(questions);

/** What stands below the steps of a question. */
function below(question) {
  return el("p", { class: "note" }, `Values of over ${count(data.cut)} characters are shortened. All of them: `,
    el("code", {}, `crag runs trace "${question.id}" --full --run FOLDER`));
}

function follow() {
  showQuestions();
  showDetail();
}

window.addEventListener("hashchange", follow);
follow();
document.documentElement.dataset.ready = "yes";
