import type { Pairing } from '../base/comparison.ts';
import type { Side } from '../base/side.ts';

/** Pairs files of the same content, each source once. */
export function withExactRenames(pairings: Pairing[]): Pairing[] {
  const sources = new Map<string, Side[]>();
  for (const { old, now } of pairings) {
    if (old === null || now !== null) continue;
    sources.set(contentKey(old), [...(sources.get(contentKey(old)) ?? []), old]);
  }
  const moved = new Set<Side>();
  const paired = pairings.map((pairing) => {
    const source =
      pairing.old === null && pairing.now !== null ? sources.get(contentKey(pairing.now))?.shift() : undefined;
    if (source === undefined) return pairing;
    moved.add(source);
    return { old: source, now: pairing.now, similarity: 100 };
  });
  return paired.filter(({ old, now }) => now !== null || old === null || !moved.has(old));
}

/** Files are renamed to files whatever their permissions; links and submodules only to their like. */
function contentKey({ mode, oid }: Side): string {
  return `${mode.slice(0, 2)} ${oid}`;
}
