import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { startPipeline } from '#src/domain/ci/pipelines/create.ts';
import { readInputs } from '#src/domain/ci/pipelines/given_inputs.ts';
import { type GivenVariable, plainVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { BadRequest, Forbidden, NotFound, Unauthenticated, ValidationFailed } from '#src/platform/errors.ts';
import { tokenHash } from '#src/platform/secrets.ts';

/** A trigger request. */
export interface Fire {
  token: string;
  /** A branch or a tag. */
  ref: string;
  /** Variables for the jobs. */
  variables?: unknown;
  /** Values of the inputs that the file declares. */
  inputs?: unknown;
  /** What a webhook told, for a file. */
  payload?: unknown;
}

/** Characters of all variables of one pipeline together. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Starts a pipeline with the token of a trigger, as its owner, for any caller. Throws NotFound for an unknown token and for a
 * project that the owner cannot see, Unauthenticated for the token of another project, BadRequest if no pipeline was created.
 */
export async function fireTrigger(
  context: Context,
  ref: IdOrPath,
  { token, ref: wanted, ...input }: Fire,
): Promise<ChangedRecord> {
  const variables = readVariables(input.variables);
  const { db } = context;
  const trigger = await db.trigger.findUnique({
    where: { tokenHash: tokenHash(token) },
    select: { id: true, projectId: true, ownerId: true },
  });
  if (!trigger) throw new NotFound('Trigger');
  const actor = trigger.ownerId === null ? null : await activeUser(db, trigger.ownerId);
  const asOwner = { ...context, actor };
  const project = await findProject(asOwner, ref);
  if (project.id !== trigger.projectId) throw new Unauthenticated();
  if (!actor) throw new BadRequest(NO_PIPELINE);
  try {
    const pipeline = await startPipeline(asOwner, project, wanted, {
      source: 'trigger',
      triggerId: trigger.id,
      variables: [...payloadVariable(input.payload), ...plainVariables(variables)],
      inputs: readInputs(input.inputs),
    });
    await db.trigger.updateMany({ where: { id: trigger.id }, data: { lastUsedAt: new Date() } });
    return pipeline;
  } catch (error) {
    throw error instanceof ValidationFailed || error instanceof Forbidden ? new BadRequest(NO_PIPELINE) : error;
  }
}

/** Characters of the longest payload; jobs do not get more. */
const MAX_PAYLOAD_LENGTH = 256 * 1024;

function payloadVariable(payload: unknown): GivenVariable[] {
  if (payload === undefined || payload === null) return [];
  const value = JSON.stringify(payload);
  return value.length > MAX_PAYLOAD_LENGTH ? [] : [{ key: 'TRIGGER_PAYLOAD', value, isFile: true, raw: true }];
}

const NO_PIPELINE = 'No pipeline created';

/** Throws BadRequest unless it is a map of strings. */
function readVariables(value: unknown): Variables {
  if (value === undefined || value === null) return {};
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [['', null] as const];
  const texts = entries.every(([key, text]) => key !== '' && typeof text === 'string' && !(key + text).includes('\0'));
  if (!texts) throw new BadRequest('variables needs to be a map of key-valued strings', 'variables');
  const size = entries.reduce((sum, [key, text]) => sum + key.length + String(text).length, 0);
  if (size > MAX_CHARACTERS)
    throw new BadRequest(`variables are larger than ${MAX_CHARACTERS} characters`, 'variables');
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]));
}
