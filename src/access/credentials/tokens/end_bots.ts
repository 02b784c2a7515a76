import { type Audited, type Auditing, audit } from '#src/access/audit/record.ts';
import { isNoEndedBot } from '#src/access/credentials/tokens/active.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const user = alias('User', 'u');

/** Where something was that ended with a bot. */
interface Place {
  projectId: number | null;
  groupId: number | null;
}

/**
 * Ends what bots without an active token have: their memberships, and the deploy tokens and deploy keys that they made. What acts as
 * them needs no end, as they are nobody any more (isNoEndedBot). Service accounts keep theirs: other tokens may follow.
 *
 * @param id only that user, who may be no bot; all bots of tokens when absent
 */
export async function endBots(tx: Transaction, context: Auditing, id?: number): Promise<void> {
  const ended = sql`(SELECT ${user.id} FROM ${table(user)} WHERE ${user.bot} AND NOT ${isNoEndedBot(user)}
    AND ${id === undefined ? sql`TRUE` : sql`${user.id} = ${id}`}
    AND EXISTS (SELECT 1 FROM personal_access_tokens t WHERE t.user_id = ${user.id} AND (t.project_id IS NOT NULL OR t.namespace_id IS NOT NULL)))`;
  const members = await queryRows<Place & { userId: number }>(
    tx,
    sql`WITH gone AS (DELETE FROM members WHERE user_id IN ${ended} RETURNING user_id, project_id, namespace_id),
        told AS (INSERT INTO events (project_id, author_id, action)
          SELECT project_id, user_id, 'left' FROM gone WHERE project_id IS NOT NULL)
      SELECT user_id AS "userId", project_id AS "projectId", namespace_id AS "groupId" FROM gone`,
  );
  const tokens = await queryRows<Place & { id: number; name: string }>(
    tx,
    sql`UPDATE deploy_tokens SET revoked = true, token_encrypted = NULL WHERE created_by_id IN ${ended} AND NOT revoked
      RETURNING id, name, project_id AS "projectId", group_id AS "groupId"`,
  );
  const keys = await queryRows<{ id: number; name: string; projectId: number }>(
    tx,
    sql`WITH gone AS (DELETE FROM deploy_keys WHERE user_id IN ${ended} RETURNING id, title)
      SELECT gone.id, gone.title AS name, p.project_id AS "projectId" FROM gone JOIN project_deploy_keys p ON p.deploy_key_id = gone.id`,
  );
  const events: Audited[] = [
    ...members.map(({ userId, ...place }): Audited => {
      return { action: 'member_deleted', place: placeOf(place), target: { type: 'User', id: userId } };
    }),
    ...tokens.map(({ id: tokenId, name, ...place }): Audited => {
      return {
        action: 'deploy_token_revoked',
        place: placeOf(place),
        target: { type: 'DeployToken', id: tokenId, name },
      };
    }),
    ...keys.map(({ id: keyId, name, projectId }): Audited => {
      return { action: 'deploy_key_deleted', place: { projectId }, target: { type: 'DeployKey', id: keyId, name } };
    }),
  ];
  if (events.length > 0) await audit(tx, context, ...events);
}

function placeOf({ projectId, groupId }: Place): Audited['place'] {
  return projectId === null ? { groupId: groupId ?? 0 } : { projectId };
}
