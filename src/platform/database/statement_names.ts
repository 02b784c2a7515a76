import { currentBudget } from '#src/platform/budget.ts';

/** How many texts get a name, and how many of these for operations that clients wrote. */
const LIMITS = { all: 500, foreign: 150 };

/**
 * Names statements, by which PostgreSQL plans each text once for a connection and keeps that plan. Past the limit they have no
 * name. The texts of the program are few, but for those with lists of varying length; what clients select makes any number of
 * them, so theirs have a share, which leaves names for all others.
 */
export function statementNames({ all, foreign } = LIMITS): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  let ofClients = 0;
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const isForeign = currentBudget()?.isForeign === true;
    if (names.size >= all || (isForeign && ofClients >= foreign)) return '';
    if (isForeign) ofClients += 1;
    const name = `g${names.size}`;
    names.set(sql, name);
    return name;
  };
}
