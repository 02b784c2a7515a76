import { type Expandable, Expansion } from '#src/domain/ci/variables/expansion.ts';

/** Characters of the longest URL of an environment. */
export const MAX_URL_LENGTH = 255;

/** A variable that an environment's URL refers to, as it was when its job was given out, or when its pipeline was made. */
interface KnownVariable {
  value: string;
  /** Whether it is not looked into. */
  fixed?: true;
  /** Whether the reports of the job do not override it. */
  strong?: true;
}
export type KnownForUrl = Record<string, KnownVariable>;

/** Variables that one URL may refer to. */
const MAX_VARIABLES = 100;

/** What the URL of an environment refers to, to be kept until its job ends; no credentials of the job. Longer values are cut: no URL is as long. */
export function knownForUrl(
  url: string,
  variables: Expansion,
  { isStrong, isCredential }: { isStrong(name: string): boolean; isCredential?(name: string): boolean },
): KnownForUrl {
  const names = variables
    .names(url)
    .filter((name) => !isCredential?.(name))
    .slice(0, MAX_VARIABLES);
  return Object.fromEntries(
    names.map((name) => {
      const { value, isFixed } = variables.given(name) ?? { value: '', isFixed: true };
      const known: KnownVariable = {
        value: value.slice(0, MAX_URL_LENGTH + 1),
        ...(isFixed ? { fixed: true } : {}),
        ...(isStrong(name) ? { strong: true } : {}),
      };
      return [name, known];
    }),
  );
}

/** The URL of an environment once its job has ended, with what the job itself reports (`dotenv`); longer than any URL may be, if so. */
export function finalUrl(url: string, known: KnownForUrl, reported: Record<string, string>): string {
  const find = (name: string): Expandable | undefined => {
    const variable = Object.hasOwn(known, name) ? known[name] : undefined;
    if (variable?.strong) return { value: variable.value, isFixed: variable.fixed };
    if (Object.hasOwn(reported, name)) return { value: reported[name] ?? '' };
    return variable && { value: variable.value, isFixed: variable.fixed };
  };
  return new Expansion(find, 'final').text(url, MAX_URL_LENGTH + 1, 'vanish');
}
