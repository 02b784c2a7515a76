import { type Audited, type Auditing, audit } from '#src/access/audit/record.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';
import { type ColumnFacts, factsOf, type ModelName } from '#src/platform/records/model.ts';

const { sql } = Prisma;

/** The tables whose changed columns are recorded one by one. */
export const COMPARED = {
  Appearance: alias('Appearance', 'r'),
  ApprovalRule: alias('ApprovalRule', 'r'),
  ApplicationSettings: alias('ApplicationSettings', 'r'),
  BroadcastMessage: alias('BroadcastMessage', 'r'),
  ContainerTagProtectionRule: alias('ContainerTagProtectionRule', 'r'),
  ContainerProtectionRepositoryRule: alias('ContainerProtectionRepositoryRule', 'r'),
  DebianDistribution: alias('DebianDistribution', 'r'),
  FeatureFlag: alias('FeatureFlag', 'r'),
  FeatureFlagUserList: alias('FeatureFlagUserList', 'r'),
  Hook: alias('Hook', 'r'),
  Integration: alias('Integration', 'r'),
  PackageSettings: alias('PackageSettings', 'r'),
  PackagesProtectionRule: alias('PackagesProtectionRule', 'r'),
  PagesDomain: alias('PagesDomain', 'r'),
  Namespace: alias('Namespace', 'r'),
  OAuthApplication: alias('OAuthApplication', 'r'),
  Project: alias('Project', 'r'),
  ProtectedBranch: alias('ProtectedBranch', 'r'),
  PullMirror: alias('PullMirror', 'r'),
  PushRule: alias('PushRule', 'r'),
  RemoteMirror: alias('RemoteMirror', 'r'),
  Runner: alias('Runner', 'r'),
  Trigger: alias('Trigger', 'r'),
  User: alias('User', 'r'),
  Variable: alias('Variable', 'r'),
} as const;

/** A row as it was before a change. */
export interface RowBefore {
  model: keyof typeof COMPARED;
  id: number;
  columns: Readonly<Record<string, unknown>>;
}

/** Reads a row that is about to be changed, and locks it until the transaction ends, so that only this change is seen. */
export async function rowBefore(tx: Transaction, model: RowBefore['model'], id: number): Promise<RowBefore> {
  return { model, id, columns: await read(tx, model, id) };
}

/** Records each column of the row that is not as it was; of secrets only that they changed. */
export async function auditChanges(
  tx: Transaction,
  context: Auditing,
  event: Omit<Audited, 'attribute' | 'from' | 'to'>,
  { model, id, columns }: RowBefore,
): Promise<void> {
  const now = await read(tx, model, id);
  const changed = Object.values(factsOf(model).columns).filter(
    ({ name }) => !UNTOLD.has(name) && JSON.stringify(now[name]) !== JSON.stringify(columns[name]),
  );
  const events = changed.map((column): Audited => {
    const { name: attribute } = column;
    return { ...event, attribute, ...(isSecret(column) ? {} : { from: columns[attribute], to: now[attribute] }) };
  });
  await audit(tx, context, ...events);
}

/** Columns that follow from others, and those that the server itself keeps. */
const UNTOLD: ReadonlySet<string> = new Set([
  'updated_at',
  'last_activity_at',
  'full_path',
  'full_name',
  'lineage',
  'failures',
  'failing_since',
  'retry_at',
  'disabled_at',
  'due_at',
  'update_status',
  'runners_token_hash',
  'runners_token',
  'password_expires_at',
  'two_factor_wanted_at',
  'developers_can_push',
  'developers_can_merge',
]);

/** Whether the value of a column is never recorded. URLs of webhooks may hold passwords. */
export function isSecret({ name, type }: Pick<ColumnFacts, 'name' | 'type'>): boolean {
  return type === 'Bytes' || /(?:^url|_encrypted|_hash|_token|_secret|_password|_key)$/.test(name);
}

async function read(tx: Transaction, model: RowBefore['model'], id: number): Promise<Record<string, unknown>> {
  const of: Pick<Alias<'User'>, 'id'> & Alias<ModelName> = COMPARED[model];
  const [row] = await tx.$queryRaw<{ columns: Record<string, unknown> }[]>(
    sql`SELECT to_jsonb(r) AS columns FROM ${table(of)} WHERE ${of.id} = ${id} FOR NO KEY UPDATE`,
  );
  return row?.columns ?? {};
}
