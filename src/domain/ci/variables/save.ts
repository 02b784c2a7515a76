import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findVariable, resourceOf, type VariableName } from '#src/domain/ci/variables/list.ts';
import { administered, auditedVariable, columnsOf, type VariablePlace } from '#src/domain/ci/variables/place.ts';
import { scopeErrors } from '#src/domain/projects/environment_scope.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { violates } from '#src/platform/database/db.ts';
import { BadRequest, type FieldErrors, NotFound, nullIfNotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** What can be set of a variable; what is absent stays as it is. */
interface VariableValues {
  value: string;
  /** Whether only jobs of protected branches get it. */
  isProtected?: boolean | null | undefined;
  isFile?: boolean | null | undefined;
  isMasked?: boolean | null | undefined;
  isRaw?: boolean | null | undefined;
  environmentScope?: string | null | undefined;
  description?: string | null | undefined;
}

interface NewVariable extends OwnerRef, VariableValues {
  key: string;
  /** Whether the value is never shown again; it is masked then. */
  isHidden?: boolean | null | undefined;
}

interface ChangedValues extends OwnerRef, Omit<VariableValues, 'value'> {
  key: string;
  /** Null, or absent, leaves a hidden value as it is. */
  value?: string | null | undefined;
  /** That of the variable to change, if there are several of the key. */
  currentScope?: string | null | undefined;
}

/** Identifies a changed variable, for reading it back. */
export interface ChangedVariable extends VariableName {
  place: VariablePlace;
}

const CURRENT = select('Variable', {
  id: true,
  valueEncrypted: true,
  hidden: true,
  masked: true,
  raw: true,
  environmentScope: true,
});

/** Characters of the longest value of the server; others have no limit but that of requests. */
const MAX_SERVER_VALUE_LENGTH = 10_000;
const MAX_TEXT_LENGTH = 255;

/** Creates a variable. Throws NotFound, Forbidden, ValidationFailed. */
export async function createVariable(context: Context, { key, ...input }: NewVariable): Promise<ChangedVariable> {
  const place = await administered(context, input);
  const environmentScope = scopeOf(place, input.environmentScope) ?? '*';
  const hidden = input.isHidden ?? false;
  const masked = hidden || (input.isMasked ?? false);
  const raw = input.isRaw ?? false;
  const keyProblems = keyErrors(key);
  const errors = {
    ...(keyProblems.length > 0 ? { key: keyProblems } : {}),
    ...valueErrors(place, { ...input, environmentScope, masked, raw }),
  };
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const data = {
    ...columnsOf(place),
    key,
    valueEncrypted: encrypt(input.value, context.secret),
    protected: input.isProtected ?? false,
    isFile: input.isFile ?? false,
    masked,
    hidden,
    raw,
    environmentScope,
    description: input.description || null,
  };
  await context.db
    .$transaction(async (tx) => {
      const { id } = await tx.variable.create({ data, select: { id: true } });
      const event = { action: 'variable_created', ...auditedVariable(place, { id, key }) } as const;
      await audit(tx, context, { ...event, attribute: 'environment_scope', to: environmentScope });
    })
    .catch(taken);
  return { place, key, environmentScope };
}

/** Updates a variable. Throws NotFound, Forbidden, Conflict, ValidationFailed. */
export async function updateVariable(context: Context, { key, ...input }: ChangedValues): Promise<ChangedVariable> {
  const place = await administered(context, input);
  const find = () => findVariable(context, place, { key, environmentScope: input.currentScope }, CURRENT);
  const found = input.value == null ? await find().catch(nullIfNotFound) : await find();
  if (!found || (input.value == null && !found.hidden))
    throw new BadRequest('value is missing', 'value', 'valuesMissing');
  const environmentScope = scopeOf(place, input.environmentScope) ?? found.environmentScope;
  const masked = input.isMasked ?? found.masked;
  const raw = input.isRaw ?? found.raw;
  const value = input.value ?? decrypt(Buffer.from(found.valueEncrypted, 'base64'), context.secret);
  const errors = valueErrors(place, { ...input, value, environmentScope, masked, raw });
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const data = {
    ...(input.value == null ? {} : { valueEncrypted: encrypt(value, context.secret) }),
    masked,
    raw,
    environmentScope,
    ...(input.isProtected == null ? {} : { protected: input.isProtected }),
    ...(input.isFile == null ? {} : { isFile: input.isFile }),
    ...(input.description === undefined ? {} : { description: input.description || null }),
  };
  await context.db
    .$transaction(async (tx) => {
      const before = await rowBefore(tx, 'Variable', found.id);
      const { count } = await tx.variable.updateMany({ where: { id: found.id }, data });
      if (count === 0) throw new NotFound(resourceOf(place));
      const event = { action: 'variable_updated', ...auditedVariable(place, { id: found.id, key }) } as const;
      await auditChanges(tx, context, event, before);
    })
    .catch(taken);
  return { place, key, environmentScope };
}

/** Deletes a variable and returns the selected fields as they were. Throws NotFound, Forbidden, Conflict. */
export async function deleteVariable<R>(
  context: Context,
  ref: OwnerRef,
  name: VariableName,
  selection: Selection<'Variable', R>,
): Promise<R> {
  const place = await administered(context, ref);
  const found = await findVariable(context, place, name, selection.with(CURRENT));
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.variable.deleteMany({ where: { id: found.id } });
    if (count === 0) throw new NotFound(resourceOf(place));
    const event = { action: 'variable_deleted', ...auditedVariable(place, { id: found.id, key: name.key }) } as const;
    await audit(tx, context, { ...event, attribute: 'environment_scope', from: found.environmentScope });
  });
  return found;
}

function taken(error: unknown): never {
  throw violates(error) ? new ValidationFailed({ key: ['has already been taken'] }).asExisting() : error;
}

/** Variables of the server are for all environments. */
function scopeOf(place: VariablePlace, scope: string | null | undefined): string | null {
  if (place === 'server') return '*';
  return scope == null ? null : scope.trim();
}

/** The errors of a key (rest-api-v4.md, Limits; behaviour.md 1.6). */
export function keyErrors(key: string): string[] {
  const errors = [];
  if (key === '') errors.push("can't be blank");
  if (key.length > MAX_TEXT_LENGTH) errors.push(`is too long (maximum is ${MAX_TEXT_LENGTH} characters)`);
  if (!/^\w*$/.test(key)) errors.push("can contain only letters, digits and '_'.");
  return errors;
}

interface Checked {
  value: string;
  masked: boolean;
  raw: boolean;
  environmentScope: string;
  description?: string | null | undefined;
}

/** A value that a runner can find in a log: one line of eight characters or more without spaces, and not to be expanded first. */
const MASKABLE = /^\S{8,}$/;

function valueErrors(
  place: VariablePlace,
  { value, masked, raw, environmentScope, description }: Checked,
): FieldErrors {
  const errors: FieldErrors = {};
  if (place === 'server' && value.length > MAX_SERVER_VALUE_LENGTH) {
    errors.value = [`is too long (maximum is ${MAX_SERVER_VALUE_LENGTH} characters)`];
  }
  if (masked && !(MASKABLE.test(value) && (raw || !value.includes('$')))) errors.value = ['is invalid'];
  const wrongScope = scopeErrors(environmentScope);
  if (wrongScope.length > 0) errors.environment_scope = wrongScope;
  if (description && description.length > MAX_TEXT_LENGTH) {
    errors.description = [`is too long (maximum is ${MAX_TEXT_LENGTH} characters)`];
  }
  return errors;
}
