import { mentions } from '#src/domain/tracking/references/scan.ts';

/** Names that a text mentions, in lower case. */
export interface Mentioned {
  /** Whom the text is addressed to: it begins with their names. */
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
