import { type ConstDirectiveNode, parse, visit } from 'graphql';

/** The first two numbers of a version. */
export type Minor = readonly [major: number, minor: number];

/** When something was deprecated, and when it may go; undefined where the reason does not say. */
interface Deprecation {
  reason: string;
  since: string | undefined;
  removal: string | undefined;
}

/** How `deprecated` (schema/deprecated.ts) ends a reason. */
const DATES = / Since (\d+\.\d+\.0); removed in (\d+\.\d+\.0) at the earliest\.$/;

/** For how many minor releases what is deprecated stays. */
const KEPT = 2;

/** What an SDL deprecates, by its coordinate: `Type.field`, `Type.field(argument:)`, `Enum.VALUE`. */
export function deprecations(schema: string): Map<string, Deprecation> {
  const found = new Map<string, Deprecation>();
  const note = (coordinate: string, directives: readonly ConstDirectiveNode[] = []) => {
    const reason = reasonOf(directives);
    if (reason === null) return;
    const [, since, removal] = DATES.exec(reason) ?? [];
    found.set(coordinate, { reason, since, removal });
  };
  visit(parse(schema, { noLocation: true }), {
    enter(node) {
      const fields =
        'fields' in node ? (node.fields ?? []) : 'values' in node && Array.isArray(node.values) ? node.values : [];
      const type = 'name' in node ? (node.name as { value: string } | undefined)?.value : undefined;
      for (const field of fields) {
        if (type === undefined || !('directives' in field)) continue;
        note(`${type}.${field.name.value}`, field.directives);
        if (!('arguments' in field)) continue;
        for (const arg of field.arguments ?? [])
          note(`${type}.${field.name.value}(${arg.name.value}:)`, arg.directives);
      }
    },
  });
  return found;
}

/**
 * What is wrong with the deprecations of a schema: each says since when it is there and when it may go, two minor releases later at the
 * earliest; and what a release announced, stays as it was.
 */
export function deprecationProblems(released: string, current: string): string[] {
  const before = deprecations(released);
  return [...deprecations(current)].flatMap(([coordinate, { since, removal }]) => {
    if (since === undefined || removal === undefined)
      return [`${coordinate}: use deprecated() of schema/deprecated.ts.`];
    if (!isLater(minorOf(since), minorOf(removal))) {
      return [`${coordinate}: ${removal} is less than ${KEPT} minor releases after ${since}.`];
    }
    const announced = before.get(coordinate);
    const isSame = announced?.since === undefined || (announced.since === since && announced.removal === removal);
    return isSame ? [] : [`${coordinate}: the last release announced ${announced.since} and ${announced.removal}.`];
  });
}

/** The major and the minor number of a version. */
export function minorOf(version: string): Minor {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
}

/** Whether there are enough minor releases between two versions. A major release is later than any minor one. */
function isLater([major, minor]: Minor, [laterMajor, laterMinor]: Minor): boolean {
  return laterMajor > major || (laterMajor === major && laterMinor >= minor + KEPT);
}

function reasonOf(directives: readonly ConstDirectiveNode[]): string | null {
  const directive = directives.find(({ name }) => name.value === 'deprecated');
  if (!directive) return null;
  const value = directive.arguments?.find(({ name }) => name.value === 'reason')?.value;
  return value?.kind === 'StringValue' ? value.value : '';
}
