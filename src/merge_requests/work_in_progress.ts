const PREFIX = /^\s*(?:(?:\[WIP\]|WIP:|WIP\s)\s*)+/i;

/** Whether a title says that the merge request is not to be merged yet: it begins with `WIP`, `WIP:` or `[WIP]`. */
export function isWorkInProgress(title: string): boolean {
  return PREFIX.test(title);
}

/** The title without the prefix. */
export function withoutWorkInProgress(title: string): string {
  return title.replace(PREFIX, '');
}

/** The title with the prefix, or without it where it has one. */
export function toggleWorkInProgress(title: string): string {
  return isWorkInProgress(title) ? withoutWorkInProgress(title) : `WIP: ${title}`;
}
