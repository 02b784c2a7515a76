import { audit } from '#src/access/audit/record.ts';
import { type Context, requireAccount, requireActor } from '#src/access/permissions/actor.ts';
import {
  type CustomAttributeOwner,
  MAX_KEY_LENGTH,
  MAX_VALUE_LENGTH,
} from '#src/domain/administration/custom_attributes.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { findUser } from '#src/domain/users/find.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readPage, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const attribute = alias('CustomAttribute', 'ca');

/** Maximum number of attributes of a user, group or project: all of them are shown at once. */
const MAX_ATTRIBUTES = 100;

/** Names what an attribute belongs to: exactly one of them. */
export interface CustomAttributeOwnerRef {
  user?: number | null | undefined;
  group?: IdOrPath | null | undefined;
  project?: IdOrPath | null | undefined;
}

const ID = select('User', { id: true });

/** All attributes, in the order in which they were made. For administrators. Throws as findCustomAttribute. */
export async function listCustomAttributes<R>(
  context: Context,
  ref: CustomAttributeOwnerRef,
  selection: Selection<'CustomAttribute', R>,
): Promise<R[]> {
  const { column, id } = await ownerOf(context, ref, 'read');
  const list = { rows: attribute, where: sql`${attribute[column]} = ${id}`, order: order('CustomAttribute', ['id']) };
  const { nodes } = await readPage(context.db, selection, list, { limit: MAX_ATTRIBUTES, offset: 0, withTotal: false });
  return nodes;
}

/** The attribute with a key. For administrators. Throws Forbidden, NotFound, ValidationFailed unless one owner is named. */
export async function findCustomAttribute<R>(
  context: Context,
  ref: CustomAttributeOwnerRef,
  key: string,
  selection: Selection<'CustomAttribute', R>,
): Promise<R> {
  const { column, id } = await ownerOf(context, ref, 'read');
  const where = sql`${attribute[column]} = ${id} AND ${attribute.key} = ${key}`;
  const found = await readRow(context.db, selection, { rows: attribute, where });
  if (!found) throw new NotFound('CustomAttribute');
  return found;
}

/** Sets an attribute, which is made if there is none with the key. For administrators. Throws as findCustomAttribute, LimitReached. */
export async function setCustomAttribute(
  context: Context,
  ref: CustomAttributeOwnerRef,
  key: string,
  value: string,
): Promise<void> {
  const { column, id } = await ownerOf(context, ref, 'write');
  checkPair(key, value);
  await context.db.$transaction(async (tx) => {
    await holdOwner(tx, column, id);
    const where = { [column]: id };
    const before = await tx.customAttribute.findFirst({ where: { ...where, key } });
    if (before) {
      await tx.customAttribute.update({ where: { id: before.id }, data: { value, updatedAt: new Date() } });
      const changed = { attribute: 'value', from: before.value, to: value };
      const event = { action: 'custom_attribute_updated', ...audited(column, id, before), ...changed } as const;
      if (before.value !== value) await audit(tx, context, event);
      return;
    }
    if ((await tx.customAttribute.count({ where })) >= MAX_ATTRIBUTES) {
      throw new LimitReached(`There are ${MAX_ATTRIBUTES} custom attributes already, which is the maximum`);
    }
    const made = await tx.customAttribute.create({ data: { ...where, key, value } });
    await audit(tx, context, { action: 'custom_attribute_created', ...audited(column, id, made) });
  });
}

/** Removes an attribute. For administrators. Throws as findCustomAttribute. */
export async function deleteCustomAttribute(
  context: Context,
  ref: CustomAttributeOwnerRef,
  key: string,
): Promise<void> {
  const { column, id } = await ownerOf(context, ref, 'write');
  await context.db.$transaction(async (tx) => {
    const found = await tx.customAttribute.findFirst({ where: { [column]: id, key } });
    const { count } = await tx.customAttribute.deleteMany({ where: { [column]: id, key } });
    if (!found || count === 0) throw new NotFound('CustomAttribute');
    await audit(tx, context, { action: 'custom_attribute_deleted', ...audited(column, id, found) });
  });
}

/** What the caller cannot see is not found, as everywhere; what is noted of the rest is for administrators. Those of users are read with `read_user`, too. */
async function ownerOf(
  context: Context,
  { user, group, project }: CustomAttributeOwnerRef,
  act: 'read' | 'write',
): Promise<{ column: CustomAttributeOwner; id: number }> {
  const { admin } = act === 'read' && user != null ? requireAccount(context) : requireActor(context);
  if ([user, group, project].filter((one) => one != null).length !== 1) {
    throw new ValidationFailed({ owner: ['must be either a user, a group or a project'] });
  }
  const found =
    group != null ? await findGroup(context, group) : project != null ? await findProject(context, project) : null;
  if (!admin) throw new Forbidden();
  if (group != null && found) return { column: 'namespaceId', id: found.id };
  if (found) return { column: 'projectId', id: found.id };
  return { column: 'userId', id: (await findUser(context, user ?? 0, ID)).id };
}

/** One change to the attributes of an owner at a time, so that they are counted together. Throws NotFound when it was deleted. */
async function holdOwner(tx: Transaction, column: CustomAttributeOwner, id: number): Promise<void> {
  const rows = {
    userId: () => tx.$queryRaw<object[]>`SELECT FROM users WHERE id = ${id} FOR NO KEY UPDATE`,
    namespaceId: () => tx.$queryRaw<object[]>`SELECT FROM namespaces WHERE id = ${id} FOR NO KEY UPDATE`,
    projectId: () => tx.$queryRaw<object[]>`SELECT FROM projects WHERE id = ${id} FOR NO KEY UPDATE`,
  } as const;
  if ((await rows[column]()).length === 0) throw new NotFound(OWNERS[column]);
}

const OWNERS = { userId: 'User', namespaceId: 'Group', projectId: 'Project' } as const;

/** Told in the log of the server alone: owners of the project or group, who read theirs, do not see the attributes. */
function audited(column: CustomAttributeOwner, id: number, { id: attributeId, key }: { id: number; key: string }) {
  const name = `${key} (${OWNERS[column]} ${id})`;
  return { place: 'server', target: { type: 'CustomAttribute', id: attributeId, name } } as const;
}

/** A key of digits alone would be the place in a list where attributes are a filter: `custom_attributes[1]`. */
function checkPair(key: string, value: string): void {
  const errors: FieldErrors = {};
  if (!/^[\w.-]+$/.test(key) || /^\d+$/.test(key)) {
    errors.key = ['must have letters, digits, `_`, `-` and `.` alone, and not only digits'];
  } else if (key.length > MAX_KEY_LENGTH) errors.key = [`is too long (maximum is ${MAX_KEY_LENGTH} characters)`];
  if (value.trim() === '') errors.value = ["can't be blank"];
  else if ([...value].length > MAX_VALUE_LENGTH) {
    errors.value = [`is too long (maximum is ${MAX_VALUE_LENGTH} characters)`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}
