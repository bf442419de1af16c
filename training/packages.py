"""Packages that only training needs, imported when training starts."""

from functools import partial

from utils import packages

package = partial(packages.package, install="-e '.[train]'")
