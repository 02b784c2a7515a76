/** What a program writes for a value that it does not have. */
const MISSING = /\bundefined\b|\bNaN\b|\[object \w+\]|^null$|(?<=[/=])null(?=$|[/?&#])/;

/** Elements whose text is somebody's own, such as code. */
const OWN_TEXT = /<(script|style|pre|code|textarea)\b([^>]*)>([\s\S]*?)<\/\1>/g;

/**
 * Texts and attributes of a page that hold `undefined`, `NaN`, `[object Object]` or `null` in place of a value. Code and what somebody
 * typed may hold these words among others.
 */
export function unsaidOn(page: string): string[] {
  const shown = page.replace(OWN_TEXT, (_all, name: string, attributes: string, text: string) => {
    const isAlone = /^\s*(?:undefined|NaN|null|\[object \w+\])\s*$/.test(text);
    return `<${name}${attributes}>${isAlone ? text : ''}</${name}>`;
  });
  const attributes = [...shown.matchAll(/\s[\w-]+="([^"]*)"/g)].map(([, value = '']) => value);
  const texts = shown.split(/<[^>]*>/).map((text) => text.trim());
  return [...attributes, ...texts].filter((text) => MISSING.test(text));
}
