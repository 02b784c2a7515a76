/** Templates whose texts are not in the catalogue yet. */
export const UNTRANSLATED: string[] = [];
