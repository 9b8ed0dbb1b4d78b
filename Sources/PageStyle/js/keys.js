// The names of keys as they stand on the keyboard of this system.
const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

export const ENTER = isApple ? "↩" : "Enter";
export const SEND = isApple ? "⌘↩" : "Ctrl+Enter";
