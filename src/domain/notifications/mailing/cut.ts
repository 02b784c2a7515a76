/** The beginning of a text that is longer. */
export function cut(text: string, most: number): string {
  const characters = text.length > most ? [...text.slice(0, 2 * most)] : [];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}

/** Text as one line without control characters, including those that change the direction of text. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
