// Light, dark, or what the system says. The choice is kept in this browser; ?theme=dark forces one.
const asked = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem("theme");
if (asked === "dark" || asked === "light") document.documentElement.dataset.theme = asked;

export function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
}
