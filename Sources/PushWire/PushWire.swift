// placeholder while the package is being laid out
