/** Whether a text is the address of a page: nothing else may stand behind a link. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text);
}
