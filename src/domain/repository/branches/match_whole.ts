import { matchingNames } from '#src/domain/repository/branches/match_names.ts';
import { BadRequest, DomainError } from '#src/platform/errors.ts';

/** Those of whose names a pattern matches the whole. Throws BadRequest for a pattern that is invalid, by the name of its parameter. */
export async function matchingWhole<T extends { name: string }>(
  list: readonly T[],
  pattern: string,
  parameter: string,
  caller: string,
): Promise<readonly T[]> {
  const [, options = '', source = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  try {
    return await matchingNames(list, `${options}^(?:${source})$`, caller);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'BAD_REQUEST') throw error;
    throw new BadRequest(`${parameter} is an invalid regular expression`, parameter, 'valueInvalid');
  }
}

/** Whether a text is a pattern that names can be compared with. Throws Unavailable, LimitReached. */
export async function isPattern(text: string, caller: string): Promise<boolean> {
  if (text.includes('\0')) return false;
  try {
    await matchingWhole([], text, 'pattern', caller);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'BAD_REQUEST') return false;
    throw error;
  }
}
