/** Names by which votes are counted, whatever a package lists first for these emoji. */
const VOTES: ReadonlyMap<string, string> = new Map([
  ['+1', 'thumbsup'],
  ['-1', 'thumbsdown'],
]);

let names: Promise<ReadonlyMap<string, string>> | undefined;

/**
 * The stored name of an emoji, by any of its names without colons: `+1` is `thumbsup`. Null if there is no such emoji. The names
 * are loaded on first use.
 */
export async function emojiNamed(name: string): Promise<string | null> {
  names ??= readNames();
  return (await names).get(name) ?? null;
}

async function readNames(): Promise<ReadonlyMap<string, string>> {
  const { gemoji } = await import('gemoji');
  const found = new Map<string, string>();
  for (const { names } of gemoji) {
    const [first = ''] = names;
    for (const name of names) found.set(name, VOTES.get(first) ?? first);
  }
  return found;
}

/** The emoji with any of its names, without colons; null if there is none. */
export async function emojiCharacter(name: string): Promise<string | null> {
  const { nameToEmoji } = await import('gemoji');
  const known = [...VOTES].find(([, vote]) => vote === name)?.[0] ?? name;
  return Object.hasOwn(nameToEmoji, known) ? (nameToEmoji[known] ?? null) : null;
}

/** An emoji by the name that texts have between colons. */
export interface NamedEmoji {
  name: string;
  character: string;
}

/** The first emoji of which a name contains the text, in any case: those that begin with it come first, each by one name. */
export async function searchEmoji(text: string, most: number): Promise<NamedEmoji[]> {
  const { gemoji } = await import('gemoji');
  const wanted = text.toLowerCase();
  const found = gemoji.flatMap(({ names, emoji: character }) => {
    const name = names.find((one) => one.startsWith(wanted)) ?? names.find((one) => one.includes(wanted));
    return name === undefined ? [] : [{ name, character, begins: name.startsWith(wanted) }];
  });
  const sorted = [...found.filter(({ begins }) => begins), ...found.filter(({ begins }) => !begins)];
  return sorted.slice(0, most).map(({ name, character }) => ({ name, character }));
}

/** Whether an award of that name counts as a vote. */
export function isVote(name: string): boolean {
  return name === 'thumbsup' || name === 'thumbsdown';
}
