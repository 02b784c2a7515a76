import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { leaveOutFiles, ORIGINAL, placeOfFile, RECORDS, takeFiles } from '#src/domain/gitlab_archives/files.ts';
import { projectHead, readHead } from '#src/domain/gitlab_archives/head.ts';
import {
  takeApprovalRule,
  takeCommitNote,
  takeProtectedBranch,
  takeProtectedTag,
  takePushRule,
  takeRelease,
} from '#src/domain/gitlab_archives/relations/code.ts';
import { takeIssue } from '#src/domain/gitlab_archives/relations/issues.ts';
import { takeBoard, takeLabel, takeMilestone } from '#src/domain/gitlab_archives/relations/labels.ts';
import { takeMergeRequest } from '#src/domain/gitlab_archives/relations/merge_requests.ts';
import { Output } from '#src/domain/gitlab_archives/relations/output.ts';
import {
  takeBadge,
  takeCiSettings,
  takeContributor,
  takeFeatures,
  takeMember,
  takePolicy,
  takeSnippet,
} from '#src/domain/gitlab_archives/relations/project.ts';
import { leaveOutUnknown, type Take, type Translation } from '#src/domain/gitlab_archives/relations/relation.ts';
import { splitJson } from '#src/domain/gitlab_archives/split_json.ts';
import type { ForeignFormat } from '#src/domain/project_archives/foreign.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import { linesOf } from '#src/domain/project_archives/lines.ts';
import { PROJECT, REPOSITORY } from '#src/domain/project_archives/place.ts';
import type { FailedRelation } from '#src/domain/project_archives/tree.ts';
import { headOfBundle } from '#src/git/remote/bundle.ts';

/** The relations of a project that are translated, in that order. Others are counted, and named as left out. */
const RELATIONS: Readonly<Record<string, Take>> = {
  project_feature: takeFeatures,
  ci_cd_settings: takeCiSettings,
  project_members: takeMember,
  user_contributions: takeContributor,
  labels: takeLabel,
  milestones: takeMilestone,
  issues: takeIssue,
  merge_requests: takeMergeRequest,
  commit_notes: takeCommitNote,
  snippets: takeSnippet,
  releases: takeRelease,
  protected_branches: takeProtectedBranch,
  protected_tags: takeProtectedTag,
  approval_rules: takeApprovalRule,
  push_rule: takePushRule,
  container_expiration_policy: takePolicy,
  project_badges: takeBadge,
  boards: takeBoard,
};

/** Archives of projects as GitLab exports them, and servers that do as it does. */
export const GITLAB: ForeignFormat = {
  prepare: async (directory) => {
    await mkdir(path.join(directory, ORIGINAL, RECORDS), { recursive: true });
  },
  placeOf: placeOfFile,
  isIn: (directory) => existsSync(path.join(directory, ORIGINAL, 'VERSION')),
  translate,
};

async function translate(
  directory: string,
  leftOut: { names: readonly string[]; count: number },
  signal: AbortSignal,
): Promise<FailedRelation[]> {
  const original = path.join(directory, ORIGINAL);
  const out = new Output(directory, KINDS, signal);
  const translation: Translation = {
    out,
    ...{ labels: new Map(), milestones: new Map(), protectedBranches: new Map(), commitThreads: new Map() },
    ...{ taken: new Set(), projectId: null, settings: {} },
  };
  try {
    await requireSplit(directory, out, signal);
    const head = await readHead(path.join(original, 'head.json'));
    leaveOutUnknown(translation, head, new Set(['topics', 'tag_list', 'avatar']), { relation: 'project', line: 1 });
    for (const [relation, take] of Object.entries(RELATIONS)) {
      for await (const { record, number } of recordsOf(original, relation))
        await take(translation, record, { relation, line: number });
    }
    await countOthers(original, out);
    leaveOutFiles(out, leftOut.names, leftOut.count);
    await takeFiles(out, directory);
    const branch = await headOfBundle(path.join(directory, REPOSITORY));
    await writeFile(path.join(directory, PROJECT), JSON.stringify(projectHead(head, translation, branch)));
    await out.end();
    return out.leftOut();
  } finally {
    await out.close();
  }
}

/** Archives of before 13.0 have all records in one file. */
async function requireSplit(directory: string, out: Output, signal: AbortSignal): Promise<void> {
  const original = path.join(directory, ORIGINAL);
  const [whole, head] = [path.join(directory, PROJECT), path.join(original, 'head.json')];
  if (existsSync(head) || !existsSync(whole)) return;
  const { json, strange } = await splitJson(whole, PROJECT, path.join(original, RECORDS), signal);
  if (strange > 0) out.leaveOut({ relation: 'project', line: 1 }, 'A value of project.json is no record.', strange);
  await writeFile(head, json);
}

function recordsOf(original: string, relation: string) {
  return linesOf(path.join(original, RECORDS, `${relation}.ndjson`), `tree/project/${relation}.ndjson`);
}

async function countOthers(original: string, out: Output): Promise<void> {
  for (const file of (await readdir(path.join(original, RECORDS))).sort()) {
    const relation = file.replace(/\.ndjson$/, '');
    if (Object.hasOwn(RELATIONS, relation)) continue;
    let count = 0;
    for await (const _line of recordsOf(original, relation)) count += 1;
    if (count > 0) out.leaveOut({ relation, line: 1 }, 'Gantry does not take records of this kind along.', count);
  }
}
