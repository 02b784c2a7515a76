/** What environments are for. */
export const TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;
export type Tier = (typeof TIERS)[number];

/** Words in names of environments, by what they are for. */
const WORDS: readonly [RegExp, Tier][] = [
  [/dev|review|trunk/i, 'development'],
  [/test|tst|int|ac(ce)?pt|qa|qc|control|quality/i, 'testing'],
  [/stag|model|pre|demo/i, 'staging'],
  [/prod|live/i, 'production'],
];

/** What an environment is for, as it was given, or as its name says. */
export function tierOf({ tier, name }: { tier: string | null; name: string }): Tier {
  const given = TIERS.find((one) => one === tier);
  return given ?? WORDS.find(([words]) => words.test(name))?.[1] ?? 'other';
}
