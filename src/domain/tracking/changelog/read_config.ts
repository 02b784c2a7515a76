import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';

/** How a changelog is written. */
export interface ChangelogConfig {
  /** As of strftime. */
  dateFormat: string;
  template: string | null;
  /** Titles of categories by the values of the trailer. */
  categories: Record<string, string>;
  /** Full paths of groups whose members are named as authors, too. */
  includeGroups: string[];
}

/** A tag that is a version. */
export interface VersionTag {
  name: string;
  numbers: [number, number, number];
  /** What makes it a version before the release; empty for a release. */
  early: string;
}

export interface ReadChangelog {
  config: ChangelogConfig | null;
  versions: VersionTag[];
  /** Why the configuration cannot be used; null if it can. */
  fault: string | null;
}

const TAG_REGEX =
  '^v?(?<major>0|[1-9]\\d*)\\.(?<minor>0|[1-9]\\d*)\\.(?<patch>0|[1-9]\\d*)(?:-(?<pre>[0-9A-Za-z.-]+))?(?:\\+(?<meta>[0-9A-Za-z.-]+))?$';
/** Groups that may be named. */
const MAX_GROUPS = 50;

/** Reads the configuration of a changelog, and which of the tags are versions by it. */
export function readChangelogConfig(yaml: string | null, tags: readonly string[]): ReadChangelog {
  const wrong = (fault: string): ReadChangelog => ({ config: null, versions: [], fault });
  let given: unknown;
  try {
    given = yaml === null ? {} : (loadYaml(yaml) ?? {});
  } catch (error) {
    if (error instanceof InvalidConfig) return wrong(`the configuration is invalid: ${error.message}`);
    throw error;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return wrong('the configuration is not a map');
  const values = given as Record<string, unknown>;
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : null);
  const source = (text('tag_regex') ?? TAG_REGEX).replaceAll('(?P<', '(?<');
  let pattern: RegExp;
  try {
    pattern = new RegExp(source);
    // One that is too large is refused when it is first used.
    pattern.exec('');
  } catch {
    return wrong('tag_regex is an invalid regular expression');
  }
  const categories = values.categories;
  const config = {
    dateFormat: text('date_format') ?? '%Y-%m-%d',
    template: text('template'),
    categories: Object.fromEntries(
      Object.entries(typeof categories === 'object' && categories !== null ? categories : {}).map(([key, title]) => [
        key,
        String(title),
      ]),
    ),
    includeGroups: (Array.isArray(values.include_groups) ? values.include_groups : []).slice(0, MAX_GROUPS).map(String),
  };
  const versions = tags.flatMap((name) => versionIn(name, pattern) ?? []);
  return { config, versions, fault: null };
}

function versionIn(name: string, pattern: RegExp): VersionTag | null {
  const groups = pattern.exec(name)?.groups;
  if (!groups) return null;
  const numbers = [groups.major, groups.minor, groups.patch].map(Number);
  const [major = Number.NaN, minor = Number.NaN, patch = Number.NaN] = numbers;
  if (!numbers.every(Number.isSafeInteger)) return null;
  return { name, numbers: [major, minor, patch], early: groups.pre ?? '' };
}
