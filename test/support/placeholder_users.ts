import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { Json } from './http.ts';
import { imported, packed } from './project_archives.ts';
import type { TestUser, World } from './world.ts';

/** A user in an archive. */
export interface ArchivedUser {
  id: number;
  username?: string;
  name?: string;
  email?: string | null;
  host?: string;
}

/** An archive of a project without a repository, with these records of each kind. */
export function archiveOf(users: readonly ArchivedUser[], tree: Readonly<Record<string, readonly Json[]>>): Buffer {
  const directory = mkdtempSync(path.join(tmpdir(), 'archive-'));
  mkdirSync(path.join(directory, 'tree'));
  const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
  write('version.json', '{"format":"gantry-project","version":1}');
  write('project.json', '{"id":1,"name":"Old","path":"old"}');
  for (const [name, records] of Object.entries({ users, ...tree })) {
    write(`tree/${name}.ndjson`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }
  for (const { secret, file_name: name } of tree.uploads ?? []) {
    mkdirSync(path.join(directory, 'uploads', secret), { recursive: true });
    write(`uploads/${secret}/${name}`, 'what was attached');
  }
  const archive = packed(directory);
  rmSync(directory, { recursive: true });
  return archive;
}

/** Ann, and Ben who has no username, of a source. */
export function people(host: string): ArchivedUser[] {
  return [
    { id: 71, username: 'ann', name: 'Ann <b>Apple</b>', email: 'ann@elsewhere.example', host },
    { id: 72, name: 'Ben', email: null, host },
  ];
}

/** What Ann and Ben have of every kind that users have something of. */
export function contributions(): Record<string, Json[]> {
  const at = '2020-01-02T03:04:05.000Z';
  const times = { created_at: at, updated_at: at };
  const merge = { source_branch: 'topic', target_branch: 'main', author_id: 71, source_project_id: 1, ...times };
  return {
    labels: [{ id: 5, title: 'bug', color: '#ff0000', ...times }],
    milestones: [{ id: 6, iid: 1, title: 'One', state: 'active', ...times }],
    issues: [
      {
        id: 1,
        iid: 1,
        title: 'Open',
        author_id: 71,
        updated_by_id: 72,
        last_edited_by_id: 71,
        state: 'opened',
        ...times,
      },
      { id: 2, iid: 2, title: 'Secret', author_id: 71, state: 'opened', confidential: true, ...times },
    ],
    issue_assignees: [
      { issue_id: 1, user_id: 71, position: 0 },
      { issue_id: 1, user_id: 72, position: 1 },
      { issue_id: 2, user_id: 71, position: 0 },
    ],
    merge_requests: [
      {
        id: 1,
        iid: 1,
        title: 'Merged',
        state: 'merged',
        merge_user_id: 72,
        closed_by_id: 71,
        updated_by_id: 71,
        last_edited_by_id: 71,
        merged_at: at,
        ...merge,
      },
      { id: 2, iid: 2, title: 'Under way', state: 'opened', ...merge, author_id: 72 },
    ],
    merge_request_assignees: [{ merge_request_id: 1, user_id: 71, position: 0 }],
    merge_request_reviewers: [{ id: 1, merge_request_id: 1, user_id: 71, state: 'reviewed', created_at: at }],
    merge_request_approvals: [
      { id: 1, merge_request_id: 1, user_id: 71, created_at: at },
      { id: 2, merge_request_id: 2, user_id: 71, created_at: at },
    ],
    timelogs: [{ id: 1, issue_id: 1, user_id: 71, seconds: 60, created_at: at }],
    snippets: [
      { id: 1, title: 'Recipe', file_name: 'r.txt', content: 'Bake', visibility: 'public', author_id: 71, ...times },
      { id: 2, title: 'Diary', file_name: 'd.txt', content: 'Dear', visibility: 'private', author_id: 71, ...times },
    ],
    notes: [
      {
        id: 1,
        subject_type: 'Issue',
        subject_id: 1,
        author_id: 71,
        body: 'Ripe',
        system: false,
        discussion_id: 1,
        ...times,
      },
      {
        id: 2,
        subject_type: 'Issue',
        subject_id: 1,
        author_id: 72,
        body: 'Sweet',
        system: false,
        discussion_id: 2,
        ...times,
      },
      {
        id: 3,
        subject_type: 'MergeRequest',
        subject_id: 2,
        author_id: 71,
        body: 'Why?',
        system: false,
        discussion_id: 3,
        ...times,
      },
      {
        id: 4,
        subject_type: 'Issue',
        subject_id: 1,
        author_id: 71,
        body: 'Hush',
        source_type: 'Internal',
        system: false,
        discussion_id: 4,
        ...times,
      },
    ],
    discussions: [{ id: 3, merge_request_id: 2, note_id: 3, resolved_by_id: 71, resolved_at: at }],
    commit_comments: [{ id: 1, sha: 'a'.repeat(40), note: 'Neat', author_id: 71, discussion_id: 1, ...times }],
    uploads: [{ id: 1, secret: 'a'.repeat(32), file_name: 'a.txt', user_id: 71, created_at: at }],
    award_emoji: [{ id: 1, subject_type: 'Issue', subject_id: 1, user_id: 71, name: 'apple', ...times }],
    label_events: [{ id: 1, issue_id: 1, label_id: 5, user_id: 71, action: 'add', created_at: at }],
    milestone_events: [
      { id: 1, issue_id: 1, milestone_id: 6, user_id: 71, action: 'add', state: 'opened', created_at: at },
    ],
    state_events: [{ id: 1, issue_id: 1, user_id: 71, action: 'closed', state: 'closed', created_at: at }],
    releases: [{ id: 1, tag: 'v1', name: 'First', description: '', released_at: at, author_id: 71, ...times }],
  };
}

/** The memberships of Ann and Ben: a master whose membership is for good, and a reporter for a while. */
export function memberships(): Record<string, Json[]> {
  const at = '2020-01-02T03:04:05.000Z';
  return {
    members: [
      { id: 1, user_id: 71, access_level: 40, created_at: at },
      { id: 2, user_id: 72, access_level: 20, created_at: at, expires_at: '2099-01-01' },
    ],
  };
}

/** A group with a project that its owner, who is no administrator, has imported. */
export async function moved(
  world: World,
  {
    host = 'git.example.org',
    visibility = 'public',
    withMembers = false,
  }: { host?: string; visibility?: 'public' | 'private'; withMembers?: boolean } = {},
) {
  const owner = await world.user();
  const group = await world.group({ owner, visibility });
  const archive = archiveOf(people(host), { ...contributions(), ...(withMembers && memberships()) });
  const bring = async (who: TestUser = owner) => {
    const more = { namespace: group.fullPath, 'override_params[visibility]': visibility };
    const record = await imported(world, who, { archive, path: world.unique('moved'), more });
    expect([record.import_status, record.import_error, record.failed_relations]).toEqual(['finished', null, []]);
    return record.id as number;
  };
  const id = await bring();
  const rows = await world.db.importSourceUser.findMany({ where: { namespaceId: group.id }, orderBy: { id: 'asc' } });
  const placeholder = (identifier: string) => {
    const found = rows.find(({ sourceUserIdentifier }) => sourceUserIdentifier === identifier);
    return world.db.user.findUniqueOrThrow({ where: { id: found?.placeholderUserId ?? 0 } });
  };
  // As imports from servers bring packages.
  const published = { projectId: id, type: 'generic', name: 'app', version: '1' } as const;
  await world.db.package.create({ data: { ...published, creatorId: (await placeholder('71')).id } });
  return { owner, group, id, bring, rows, placeholder, api: world.api(owner), at: `/projects/${id}` };
}
