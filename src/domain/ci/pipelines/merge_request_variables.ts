import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Characters of the longest description in a variable. */
const MAX_DESCRIPTION_LENGTH = 2_700;

interface Facts {
  id: number;
  iid: number;
  title: string;
  description: string | null;
  squash: boolean;
  sourceBranch: string;
  targetBranch: string;
  source: { id: number; fullPath: string };
  target: { id: number; fullPath: string };
  assignees: string[];
  labels: string[];
  milestone: string | null;
  version: { id: number; baseSha: string | null } | null;
}

/** The source branch of a merge request, and its variables for jobs of its pipelines; null if it is gone. */
export async function ofMergeRequest(
  db: Db,
  id: number,
  baseUrl: string,
): Promise<{ branch: string; variables: Variables } | null> {
  const facts = await factsOf(db, id);
  if (!facts) return null;
  const { iid, title, squash, sourceBranch, targetBranch, source, target, milestone, version } = facts;
  const description = [...(facts.description ?? '')];
  const isProtected = async (project: number, branch: string) =>
    String(protectionOf(await listProtections(db, project), branch).protected);
  const variables = {
    CI_MERGE_REQUEST_ID: String(id),
    CI_MERGE_REQUEST_IID: String(iid),
    CI_MERGE_REQUEST_PROJECT_ID: String(target.id),
    CI_MERGE_REQUEST_PROJECT_PATH: target.fullPath,
    CI_MERGE_REQUEST_PROJECT_URL: `${baseUrl}/${target.fullPath}`,
    CI_MERGE_REQUEST_REF_PATH: `refs/merge-requests/${iid}/head`,
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: sourceBranch,
    CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED: await isProtected(source.id, sourceBranch),
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(source.id),
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: source.fullPath,
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: `${baseUrl}/${source.fullPath}`,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: targetBranch,
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: await isProtected(target.id, targetBranch),
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '',
    CI_MERGE_REQUEST_TITLE: title,
    CI_MERGE_REQUEST_DESCRIPTION: description.slice(0, MAX_DESCRIPTION_LENGTH).join(''),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: String(description.length > MAX_DESCRIPTION_LENGTH),
    CI_MERGE_REQUEST_ASSIGNEES: facts.assignees.join(', '),
    CI_MERGE_REQUEST_LABELS: facts.labels.join(','),
    CI_MERGE_REQUEST_SQUASH_ON_MERGE: String(squash),
    CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
    ...(milestone === null ? {} : { CI_MERGE_REQUEST_MILESTONE: milestone }),
    ...(version && { CI_MERGE_REQUEST_DIFF_ID: String(version.id) }),
    ...(version?.baseSha && { CI_MERGE_REQUEST_DIFF_BASE_SHA: version.baseSha }),
  };
  return { branch: sourceBranch, variables };
}

async function factsOf(db: Db, id: number): Promise<Facts | undefined> {
  const [facts] = await db.$queryRaw<Facts[]>`
    SELECT m.id, m.iid, m.title, m.description, m.squash, m.source_branch AS "sourceBranch", m.target_branch AS "targetBranch",
      jsonb_build_object('id', s.id, 'fullPath', sn.full_path || '/' || s.path) AS source,
      jsonb_build_object('id', t.id, 'fullPath', tn.full_path || '/' || t.path) AS target,
      ARRAY(SELECT u.username FROM merge_request_assignees a JOIN users u ON u.id = a.user_id
        WHERE a.merge_request_id = m.id ORDER BY a.position) AS assignees,
      ARRAY(SELECT l.title FROM merge_request_labels o JOIN labels l ON l.id = o.label_id
        WHERE o.merge_request_id = m.id ORDER BY l.title, l.id) AS labels,
      (SELECT title FROM milestones WHERE id = m.milestone_id) AS milestone,
      (SELECT jsonb_build_object('id', v.id, 'baseSha', v.base_commit_sha) FROM merge_request_versions v
        WHERE v.merge_request_id = m.id ORDER BY v.id DESC LIMIT 1) AS version
    FROM merge_requests m JOIN projects s ON s.id = m.source_project_id JOIN namespaces sn ON sn.id = s.namespace_id
      JOIN projects t ON t.id = m.target_project_id JOIN namespaces tn ON tn.id = t.namespace_id
    WHERE m.id = ${id}`;
  return facts;
}
