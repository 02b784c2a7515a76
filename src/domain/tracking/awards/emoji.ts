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

/** Whether an award of that name counts as a vote. */
export function isVote(name: string): boolean {
  return name === 'thumbsup' || name === 'thumbsdown';
}
