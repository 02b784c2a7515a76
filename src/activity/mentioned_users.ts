/** Users whom one text may mention; whoever comes later in it is not looked for. */
const MOST = 100;

/** Names that a text mentions, in lower case. */
export interface Mentioned {
  /** Whom the text is addressed to: it begins with their names. */
  addressed: string[];
  /** The others. */
  mentioned: string[];
}

const NAME = /(?<![\w@/.`-])@([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)/gi;
const BEGINNING = /^(?:\s*@[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?[\s,;:]*(?:(?:and|&)\s+(?=@))?)+/i;

/** The names that a text mentions outside of code. */
export function mentionedNames(text: string | null): Mentioned {
  const plain = withoutCode(text ?? '');
  const beginning = BEGINNING.exec(plain)?.[0] ?? '';
  const addressed = namesIn(beginning).slice(0, MOST);
  const others = namesIn(plain.slice(beginning.length)).filter((name) => !addressed.includes(name));
  return { addressed, mentioned: others.slice(0, MOST - addressed.length) };
}

function namesIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, name = ''] of text.matchAll(NAME)) {
    names.add(name.toLowerCase());
    if (names.size > 2 * MOST) break;
  }
  return [...names];
}

/** The text without blocks and spans of code, and without quoted lines. */
function withoutCode(text: string): string {
  let fence: string | null = null;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null;
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    else if (fence === null && !/^ {0,3}>/.test(line)) lines.push(line.replace(/`[^`]*`/g, ' '));
  }
  return lines.join('\n');
}
