import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import { type ExpansionLimit, isRecord, readNames, requireKeys } from '#src/domain/ci/pipelines/config/base/values.ts';

/** Tokens of one job. */
const MAX_TOKENS = 20;

/** Reads for whom a job gets tokens, by the names of variables; null if it gets none. Throws InvalidConfig. */
export function readIdTokens(value: unknown, where: string, budget: ExpansionLimit): Record<string, string[]> | null {
  if (value == null) return null;
  if (!isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  const entries = Object.entries(value);
  if (entries.length > MAX_TOKENS)
    throw new InvalidConfig(`${where} config has too many tokens (maximum is ${MAX_TOKENS})`);
  return Object.fromEntries(
    entries.map(([name, token]) => {
      const at = `${where}:${budget.spend(name)}`;
      if (!/^\w+$/.test(name)) throw new InvalidConfig(`${at} name can contain only letters, digits and '_'`);
      if (!isRecord(token)) throw new InvalidConfig(`${at} config should be a hash`);
      requireKeys(token, at, ['aud']);
      const audiences = readNames(token.aud, `${at} aud`, budget) ?? [];
      if (audiences.length === 0 || audiences.includes('')) throw new InvalidConfig(`${at} aud can't be blank`);
      return [name, audiences];
    }),
  );
}
