import type { GraphQLContext } from '#schema/context.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/**
 * The ID of a group that an input names, which need not be there any more where it is named by its ID.
 *
 * @param field of the input, for the error
 * @throws ValidationFailed without one; NotFound for a path that leads to none that the caller can see
 */
export async function idOfGroup(
  context: GraphQLContext,
  ref: IdOrPath | null | undefined,
  field: string,
): Promise<number> {
  if (ref == null) throw new ValidationFailed({ [field]: ['is missing'] });
  return typeof ref === 'number' ? ref : (await findGroup(context, ref)).id;
}
