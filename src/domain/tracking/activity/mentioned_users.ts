import { mentions } from '#src/domain/tracking/references/scan.ts';

/** Names mentioned in a text, in lower case. */
export interface Mentioned {
  /** The names that the text begins with: its addressees. */
  addressed: string[];
  /** The others. */
  mentioned: string[];
}

/** The names that a text mentions outside of code and quotes. */
export function mentionedNames(text: string | null): Mentioned {
  const found = mentions(text ?? '');
  const names = (isAddressed: boolean) =>
    found.filter((one) => one.isAddressed === isAddressed).map(({ name }) => name);
  return { addressed: names(true), mentioned: names(false) };
}
