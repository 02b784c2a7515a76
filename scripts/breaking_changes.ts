import { BreakingChangeType, buildSchema, findSchemaChanges } from 'graphql';
import { deprecations, type Minor, minorOf } from './deprecations.ts';

/**
 * What a schema breaks for clients of another one, by two SDLs, one description each; without what was accepted. What the release
 * announced as deprecated may go in the version that it named: before that nothing accepts it.
 *
 * @param accepted lines of descriptions; blank lines and those that begin with `#` say nothing
 * @param version of the release; without one, nothing that it deprecated may go yet
 */
export function breakingChanges(released: string, current: string, accepted: string, version = '0.0.0'): string[] {
  const known = new Set(accepted.split('\n').map((line) => line.trim()));
  const breaking = new Set<string>(Object.values(BreakingChangeType));
  const announced = deprecations(released);
  const next = nextMinor(version);
  return findSchemaChanges(buildSchema(released), buildSchema(current))
    .filter(({ type }) => breaking.has(type))
    .flatMap(({ type, description }) => {
      const line = `${type}: ${description}`;
      const removal = announced.get(
        /^(?:Field|Argument|Enum value) (\S+) was removed/.exec(description)?.[1] ?? '',
      )?.removal;
      if (removal === undefined) return known.has(line) ? [] : [line];
      return isBefore(next, minorOf(removal)) ? [`${line} It stays until ${removal}.`] : [];
    })
    .sort();
}

/** The release that comes next at the earliest where something may go: a minor one. */
function nextMinor(version: string): Minor {
  const [major, minor] = minorOf(version);
  return [major, minor + 1];
}

function isBefore([major, minor]: Minor, [otherMajor, otherMinor]: Minor): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
