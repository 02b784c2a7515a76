import { randomBytes } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import {
  DEFAULT_POLICY,
  type Policy,
  requirePolicy,
  writePolicy,
} from '#src/domain/container_registry/expiration_policy.ts';
import { requireTagRule, type TagRuleValues } from '#src/domain/container_registry/tag_rules.ts';
import type { Row } from '#src/domain/project_archives/columns.ts';
import { domainProblem, MAX_DOMAINS } from '#src/domain/sites/domains.ts';
import { uniqueLabel } from '#src/domain/sites/settings.ts';
import type { Transaction } from '#src/platform/database/db.ts';

interface Settled {
  tx: Transaction;
  context: Context;
  projectId: number;
  /** Last part of the path of the project. */
  path: string;
}

type Settle = (settled: Settled, row: Row) => Promise<Row | string | null>;

const SETTLE: Readonly<Record<string, Settle>> = {
  async container_tag_rules({ projectId }, row) {
    const {
      tagNamePattern = null,
      minimumAccessLevelForPush = null,
      minimumAccessLevelForDelete = null,
    } = row as TagRuleValues;
    await requireTagRule({ id: projectId }, { tagNamePattern, minimumAccessLevelForPush, minimumAccessLevelForDelete });
    return row;
  },
  /** It is first applied when its time has passed from now on. */
  async container_policies({ tx, context, projectId }, row) {
    const policy = { ...DEFAULT_POLICY, ...row } as Policy;
    await requirePolicy(policy, `project ${projectId}`);
    await writePolicy(tx, context, projectId, policy);
    return null;
  },
  async site_settings({ path }, row) {
    return { ...row, uniqueDomain: row.uniqueDomainEnabled === true ? uniqueLabel(path) : null };
  },
  async site_domains({ tx, context, projectId }, row) {
    const domain = String(row.domain).trim().toLowerCase();
    const problem = domainProblem(context, domain);
    if (problem !== null) return `The domain ${domain} ${problem}.`;
    if ((await tx.pagesDomain.count({ where: { projectId } })) >= MAX_DOMAINS)
      return `The site of a project can have at most ${MAX_DOMAINS} domains.`;
    const verificationCode = randomBytes(16).toString('hex');
    const autoSslEnabled = row.autoSslEnabled !== false;
    const { id } = await tx.pagesDomain.create({ data: { projectId, domain, verificationCode, autoSslEnabled } });
    return { id };
  },
  async integrations(_settled, { slug }) {
    return `The integration ${String(slug)} is to be set up anew, as it can have secrets.`;
  },
};

/** The kinds of rules and settings that have more to them than their columns. */
export const RULES: ReadonlySet<string> = new Set(Object.keys(SETTLE));

/**
 * What is particular about a rule or setting of an archive: the record; a text that says why it is left out; null, or a record that is
 * its ID alone, if it is there already. Throws ValidationFailed.
 */
export function settleRule(settled: Settled, kind: string, row: Row): Promise<Row | string | null> {
  return SETTLE[kind]?.(settled, row) ?? Promise.resolve(row);
}

/** Removes approval rules of a project that name users of whom nobody has an account here. Returns their IDs. */
export async function removeRulesOfNobody(tx: Transaction, projectId: number): Promise<number[]> {
  const rows = await tx.$queryRaw<{ id: number }[]>`
    DELETE FROM approval_rules r WHERE r.project_id = ${projectId} AND r.rule_type = 'regular'
      AND NOT EXISTS (SELECT 1 FROM approval_rule_users u WHERE u.rule_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM approval_rule_groups g WHERE g.rule_id = r.id) RETURNING r.id`;
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}
