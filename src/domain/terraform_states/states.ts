import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, userIdOf } from '#src/access/permissions/actor.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest, LimitReached, NotFound, WrongState } from '#src/platform/errors.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** What names a state. */
export interface StateKey {
  project: IdOrPath;
  name: string;
}

/** Bytes of the largest state, states of a project, and versions that are kept of each: the newest. */
export const MAX_STATE_BYTES = 10 * 1024 * 1024;
const MAX_STATES = 1_000;
const MAX_VERSIONS = 100;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,255}$/;

/** Somebody else has locked the state; `lock` is what they said of it. */
export class StateLocked extends WrongState {
  readonly lock: unknown;
  constructor(lock: unknown) {
    super('The state is locked by somebody else');
    this.lock = lock;
  }
}

/** The content of a version, the newest without a serial number; null for a state that was only locked. Throws NotFound, Forbidden. */
export async function readState(context: Context, key: StateKey, serial?: number): Promise<string | null> {
  const id = await openState(context, key, 'read_terraform_state');
  const version = await context.db.terraformStateVersion.findFirst({
    where: { stateId: id, ...(serial !== undefined && { serial }) },
    orderBy: { serial: 'desc' },
    select: { content: true },
  });
  if (version) return decrypt(version.content, context.secret);
  if (serial !== undefined) throw new NotFound('TerraformStateVersion');
  return null;
}

/**
 * Writes a version of a state, which is created with its first one; a version with the same serial number is replaced. Throws NotFound,
 * Forbidden, BadRequest, LimitReached, and StateLocked for another lock than that of the state.
 */
export async function writeState(context: Context, key: StateKey, bytes: Buffer, lockId: string | null): Promise<void> {
  const { actor, projectId } = await administered(context, key);
  const serial = serialOf(bytes);
  const content = encrypt(bytes.toString('utf8'), context.secret);
  await context.db.$transaction(async (tx) => {
    const state = await lockedRow(tx, projectId, key.name);
    if (state.lockId !== null && state.lockId !== lockId) throw new StateLocked(state.lockInfo);
    const own = { content, size: bytes.length, createdById: userIdOf(actor) };
    await tx.terraformStateVersion.upsert({
      where: { stateId_serial: { stateId: state.id, serial } },
      create: { stateId: state.id, serial, ...own },
      update: { ...own, createdAt: new Date() },
    });
    await tx.terraformState.update({ where: { id: state.id }, data: { updatedAt: new Date() } });
    await tx.$executeRaw`DELETE FROM terraform_state_versions WHERE id IN (
      SELECT id FROM terraform_state_versions WHERE state_id = ${state.id} ORDER BY serial DESC OFFSET ${MAX_VERSIONS})`;
  });
}

/** Locks a state, which is created if there is none. Throws NotFound, Forbidden, BadRequest, and StateLocked if it is locked otherwise. */
export async function lockState(context: Context, key: StateKey, info: Record<string, unknown>): Promise<void> {
  const { actor, projectId } = await administered(context, key);
  const { ID: lockId } = info;
  if (typeof lockId !== 'string' || lockId === '' || lockId.length > 255) throw new BadRequest('ID is missing', 'ID');
  const text = JSON.stringify(info);
  if (text.length > 16_384 || text.includes('\\u0000')) throw new BadRequest('The description of the lock is invalid');
  await context.db.$transaction(async (tx) => {
    const state = await lockedRow(tx, projectId, key.name);
    if (state.lockId === lockId) return;
    if (state.lockId !== null) throw new StateLocked(state.lockInfo);
    const data = { lockId, lockInfo: info as never, lockedById: userIdOf(actor), lockedAt: new Date() };
    await tx.terraformState.update({ where: { id: state.id }, data });
  });
}

/** Unlocks a state, whoever locked it where no lock is named. Throws NotFound, Forbidden, and StateLocked for another lock. */
export async function unlockState(context: Context, key: StateKey, lockId: string | null): Promise<void> {
  const id = await openState(context, key, 'admin_terraform_state');
  await context.db.$transaction(async (tx) => {
    const [state] = await tx.$queryRaw<{ lockId: string | null; lockInfo: unknown }[]>`
      SELECT lock_id AS "lockId", lock_info AS "lockInfo" FROM terraform_states WHERE id = ${id} FOR UPDATE`;
    if (!state) throw new NotFound('TerraformState');
    if (lockId !== null && state.lockId !== null && state.lockId !== lockId) throw new StateLocked(state.lockInfo);
    const data = { lockId: null, lockedById: null, lockedAt: null };
    await tx.$executeRaw`UPDATE terraform_states SET lock_info = NULL WHERE id = ${id}`;
    await tx.terraformState.update({ where: { id }, data });
  });
}

/** Deletes a state with its versions, or the version with a serial number. Throws NotFound, Forbidden, and StateLocked while it is locked. */
export async function deleteState(context: Context, key: StateKey, serial?: number): Promise<void> {
  const id = await openState(context, key, 'admin_terraform_state');
  await context.db.$transaction(async (tx) => {
    const [state] = await tx.$queryRaw<{ lockId: string | null; lockInfo: unknown }[]>`
      SELECT lock_id AS "lockId", lock_info AS "lockInfo" FROM terraform_states WHERE id = ${id} FOR UPDATE`;
    if (state?.lockId != null) throw new StateLocked(state.lockInfo);
    if (serial === undefined) return void (await tx.terraformState.deleteMany({ where: { id } }));
    const { count } = await tx.terraformStateVersion.deleteMany({ where: { stateId: id, serial } });
    if (count === 0) throw new NotFound('TerraformStateVersion');
  });
}

/** The ID of a state of a project that the actor may do this in. Throws NotFound, Forbidden, Unauthenticated. */
async function openState(
  context: Context,
  { project: ref, name }: StateKey,
  ability: 'read_terraform_state' | 'admin_terraform_state',
): Promise<number> {
  const project = await findProject(context, ref);
  authorize(context.actor, ability, project);
  const found = NAME.test(name)
    ? await context.db.terraformState.findUnique({
        where: { projectId_name: { projectId: project.id, name } },
        select: { id: true },
      })
    : null;
  if (!found) throw new NotFound('TerraformState');
  return found.id;
}

/** Who writes states of which project. Throws NotFound, Forbidden, Unauthenticated, BadRequest. */
async function administered(context: Context, { project: ref, name }: StateKey) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_terraform_state', project);
  if (!NAME.test(name)) throw new BadRequest('name is invalid', 'name', 'valueInvalid');
  return { actor, projectId: project.id };
}

/** The row of a state, which is created if there is none, and is locked until the end of the transaction. Throws LimitReached. */
async function lockedRow(tx: Transaction, projectId: number, name: string) {
  await tx.$executeRaw`INSERT INTO terraform_states (project_id, name) VALUES (${projectId}, ${name}) ON CONFLICT DO NOTHING`;
  const [state] = await tx.$queryRaw<{ id: number; lockId: string | null; lockInfo: unknown; count: number }[]>`
    SELECT id, lock_id AS "lockId", lock_info AS "lockInfo",
      (SELECT count(*)::int FROM terraform_states WHERE project_id = ${projectId}) AS count
    FROM terraform_states WHERE project_id = ${projectId} AND name = ${name} FOR UPDATE`;
  if (!state) throw new NotFound('Project');
  if (state.count > MAX_STATES) throw new LimitReached(`a project has at most ${MAX_STATES} states`);
  return state;
}

/** The serial number that a state says. Throws BadRequest for what is no state. */
function serialOf(bytes: Buffer): number {
  try {
    const { serial } = (parseJson(bytes) ?? {}) as { serial?: unknown };
    if (typeof serial === 'number' && Number.isSafeInteger(serial) && serial >= 0) return serial;
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
  }
  throw new BadRequest('The body must be a state, with a serial number');
}
