"""Packages that only training needs, imported when training starts."""

from functools import partial

from models.ranking.optional import need

package = partial(need, package="-e '.[train]'")
