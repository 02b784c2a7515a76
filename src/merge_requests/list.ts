import { authorize } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { type MilestoneRow, milestoneJson } from '#src/milestones/rows.ts';
import { Prisma, queryPage } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { type UserRow, userJson } from '#src/users/rows.ts';

const { sql } = Prisma;

/** A merge request as lists show it (behaviour.md 7). */
export interface MergeRequestRow {
  id: number;
  iid: number;
  projectId: number;
  projectFullPath: string;
  sourceProjectId: number;
  title: string;
  description: string | null;
  state: 'opened' | 'closed' | 'merged';
  sourceBranch: string;
  targetBranch: string;
  mergeStatus: string;
  sha: string | null;
  mergeCommitSha: string | null;
  mergeWhenPipelineSucceeds: boolean;
  shouldRemoveSourceBranch: boolean | null;
  forceRemoveSourceBranch: boolean | null;
  createdAt: string;
  updatedAt: string;
  labelNames: string[];
  milestone: MilestoneRow | null;
  author: UserRow;
  assignee: UserRow | null;
  userNotesCount: number;
  upvotes: number;
  downvotes: number;
}

/** The merge requests of a milestone, oldest first. Throws Forbidden. */
export async function listMilestoneMergeRequests(
  context: Context,
  project: ProjectRow,
  milestoneId: number,
  { limit, offset, withTotal }: PageRequest,
): Promise<Page<MergeRequestRow>> {
  authorize(requireActor(context), 'read_merge_request', project);
  const source = sql`merge_requests mr WHERE mr.target_project_id = ${project.id} AND mr.milestone_id = ${milestoneId}`;
  const awards = (name: string) =>
    sql`(SELECT count(*) FROM award_emoji WHERE subject_type = 'MergeRequest' AND subject_id = mr.id AND name = ${name})`;
  const nodes = sql`
    (SELECT COALESCE(json_agg(row_to_json(t) ORDER BY t.id), '[]') FROM (
      SELECT mr.id, mr.iid, mr.target_project_id AS "projectId", ${project.fullPath} AS "projectFullPath",
        mr.source_project_id AS "sourceProjectId", mr.title, mr.description, mr.state, mr.source_branch AS "sourceBranch",
        mr.target_branch AS "targetBranch", mr.merge_status AS "mergeStatus", mr.sha, mr.merge_commit_sha AS "mergeCommitSha",
        mr.merge_when_pipeline_succeeds AS "mergeWhenPipelineSucceeds",
        mr.should_remove_source_branch AS "shouldRemoveSourceBranch",
        mr.force_remove_source_branch AS "forceRemoveSourceBranch", mr.created_at AS "createdAt", mr.updated_at AS "updatedAt",
        COALESCE((SELECT json_agg(l.title ORDER BY l.title) FROM merge_request_labels ml JOIN labels l ON l.id = ml.label_id
          WHERE ml.merge_request_id = mr.id), '[]') AS "labelNames",
        ${milestoneJson('ms')} AS milestone, ${userJson('au')} AS author, ${userJson('asg')} AS assignee,
        (SELECT count(*) FROM notes WHERE subject_type = 'MergeRequest' AND subject_id = mr.id AND NOT system) AS "userNotesCount",
        ${awards('thumbsup')} AS upvotes, ${awards('thumbsdown')} AS downvotes
      FROM (SELECT mr.* FROM ${source} ORDER BY mr.id LIMIT ${limit} OFFSET ${offset}) mr
        JOIN users au ON au.id = mr.author_id LEFT JOIN users asg ON asg.id = mr.assignee_id
        LEFT JOIN milestones ms ON ms.id = mr.milestone_id) t)`;
  return queryPage(context.db, offset, nodes, withTotal && sql`(SELECT count(*) FROM ${source})`);
}
