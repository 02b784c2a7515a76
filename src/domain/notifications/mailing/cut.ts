/** The beginning of a text that is longer. */
export function cut(text: string, most: number): string {
  const characters = text.length > most ? [...text.slice(0, 2 * most)] : [];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
