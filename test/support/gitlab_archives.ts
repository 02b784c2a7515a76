import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { run } from './git_client.ts';
import { scratch } from './git_program.ts';
import type { Json } from './http.ts';
import { PNG } from './project_archives.ts';

/** Files of an archive by their names; a list becomes lines of JSON, another object JSON. */
export type Files = Record<string, string | Buffer | object>;

/** An archive as the program tar makes one of a directory: names begin with `./`, and directories are there themselves. */
export async function tarOf(files: Files, more: Partial<Headers>[] = []): Promise<Buffer> {
  const archive = pack();
  const directories = new Set(['./']);
  for (const name of Object.keys(files)) {
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1))
      directories.add(`./${name.slice(0, at + 1)}`);
  }
  for (const name of [...directories].sort()) archive.entry({ name, type: 'directory' });
  for (const [name, content] of Object.entries(files)) archive.entry({ name: `./${name}` }, bytesOf(content));
  for (const header of more) archive.entry(header as Headers, '');
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

function bytesOf(content: string | Buffer | object): string | Buffer {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

export const SECRET = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
export const LFS = Buffer.from('large content\n');
export const OID = createHash('sha256').update(LFS).digest('hex');

/** The commits of the repository of the archive. */
export interface Commits {
  main: string;
  topic: string;
}

/** Bundles as `git bundle create --all` makes them, with HEAD among their refs. */
async function bundles(): Promise<{ project: Buffer; wiki: Buffer; commits: Commits }> {
  const outside = scratch('file');
  const work = path.join(outside, 'project');
  await run(outside, 'init', '--quiet', work);
  const sha = async () => (await run(work, 'rev-parse', 'HEAD')).trim();
  const commit = async (name: string, content: string, message: string) => {
    writeFileSync(path.join(work, name), content);
    await run(work, 'add', name);
    await run(work, 'commit', '--quiet', '-m', message);
    return sha();
  };
  await run(work, 'checkout', '--quiet', '-B', 'trunk');
  const main = await commit('a.txt', 'one\ntwo\nthree\n', 'First');
  await run(work, 'tag', 'v1');
  await run(work, 'checkout', '--quiet', '-b', 'topic');
  const topic = await commit('a.txt', 'one\nTWO\nthree\n', 'Louder');
  await run(work, 'update-ref', 'refs/merge-requests/1/head', topic);
  await run(work, 'update-ref', `refs/keep-around/${main}`, main);
  await run(work, 'checkout', '--quiet', 'trunk');
  const file = path.join(outside, 'bundle');
  await run(work, 'bundle', 'create', '--quiet', file, '--all');
  const project = readFileSync(file);
  return { project, wiki: await wikiBundle(), commits: { main, topic } };
}

/** A bundle of a wiki with the page `home`. */
export async function wikiBundle(): Promise<Buffer> {
  const outside = scratch('file');
  const file = path.join(outside, 'bundle');
  const pages = path.join(outside, 'wiki');
  await run(outside, 'init', '--quiet', pages);
  await run(pages, 'checkout', '--quiet', '-B', 'main');
  writeFileSync(path.join(pages, 'home.md'), 'Welcome\n');
  await run(pages, 'add', 'home.md');
  await run(pages, 'commit', '--quiet', '-m', 'Home');
  await run(pages, 'bundle', 'create', '--quiet', file, '--all');
  return readFileSync(file);
}

const AT = '2024-03-01T10:00:00.000Z';
const when = { created_at: AT, updated_at: AT };
const bug = { title: 'bug', color: '#ff0000', description: 'Broken', project_id: 42, type: 'ProjectLabel', ...when };
const ofGroup = { title: 'of the group', color: 'teal', group_id: 7, project_id: null, type: 'GroupLabel', ...when };
const milestone = {
  iid: 3,
  title: 'v1',
  description: 'Soon',
  state: 'active',
  due_date: '2024-05-01',
  project_id: 42,
  ...when,
};

function note(text: string, authorId: number, more: object = {}) {
  return {
    note: text,
    author_id: authorId,
    system: false,
    type: null,
    author: { name: NAMES[authorId] },
    ...when,
    ...more,
  };
}
const NAMES: Readonly<Record<number, string>> = { 1: 'Ada Root', 2: 'Ben Branch', 9: 'Gone Person' };

/** A project with something of everything; users 1 and 2 have these addresses, and user 9 is known by a name alone. */
export async function gitlabProject(emails: {
  first: string;
  second: string;
}): Promise<{ files: Files; commits: Commits }> {
  const { project, wiki, commits } = await bundles();
  const position = {
    ...{ base_sha: commits.main, start_sha: commits.main, head_sha: commits.topic },
    ...{ old_path: 'a.txt', new_path: 'a.txt', position_type: 'text', old_line: null, new_line: 2, line_range: null },
  };
  const files: Files = {
    VERSION: '0.2.4',
    GITLAB_VERSION: '17.2.0-ee',
    'tree/project.json': {
      ...{ description: 'Moved in', visibility_level: 20, archived: false, squash_option: 'default_on' },
      ...{
        merge_requests_rebase_enabled: true,
        autoclose_referenced_issues: false,
        topics: ['fruit', { name: 'red' }],
      },
      ...{ build_timeout: 1800, hooks: [{ url: 'https://example.org', token: 'secret' }], unknown_thing: 7 },
    },
    'tree/project/labels.ndjson': [{ ...bug, priorities: [{ project_id: 42, priority: 2 }] }, ofGroup],
    'tree/project/milestones.ndjson': [milestone],
    'tree/project/issues.ndjson': [
      {
        ...{
          iid: 12,
          title: 'Fruit falls',
          description: `See ![n](/uploads/${SECRET}/notes.txt) and !1`,
          project_id: 42,
        },
        ...{ author_id: 1, state: 'closed', confidential: true, due_date: '2024-04-01', time_estimate: 7200, ...when },
        ...{ closed_at: '2024-03-02T10:00:00.000Z', closed_by_id: 2, issue_type: 'incident', weight: 3 },
        issue_assignees: [{ user_id: 2 }, { user_id: 1 }, { user_id: 2 }],
        label_links: [{ label: bug }, { label: ofGroup }, { label: { title: 'late', color: '#00ff00', ...when } }],
        milestone,
        timelogs: [{ time_spent: 1800, user_id: 2, spent_at: AT, summary: 'Shaking' }],
        award_emoji: [
          { name: 'thumbsup', user_id: 2, awardable_type: 'Issue', ...when },
          { name: 'no_such', user_id: 1 },
        ],
        zoom_meetings: [{ url: 'https://zoom.example/1' }],
        resource_label_events: [{ action: 'add', user_id: 1, created_at: AT, label: bug }],
        notes: [
          note('Ripe?', 1, {
            discussion_id: 'f00d',
            type: 'DiscussionNote',
            award_emoji: [{ name: 'tada', user_id: 2 }],
          }),
          note('Quite, see #12', 2, { discussion_id: 'f00d', type: 'DiscussionNote' }),
          note('Alone', 9, { discussion_id: 'beef' }),
          note('added ~"bug" label', 1, { system: true, system_note_metadata: { action: 'label' } }),
          note('Between us', 1, { confidential: true }),
        ],
      },
      { iid: 13, title: 'Second', author_id: 2, state: 'opened', project_id: 42, ...when },
      { iid: 13, title: 'Same number', author_id: 2, state: 'opened', project_id: 42, ...when },
      { iid: 'x', title: 'No number', author_id: 2, state: 'opened', ...when },
    ],
    'tree/project/merge_requests.ndjson': [
      {
        ...{
          iid: 1,
          title: 'Louder',
          description: 'Closes #12',
          author_id: 2,
          state: 'opened',
          merge_status: 'x',
          ...when,
        },
        ...{
          source_branch: 'topic',
          target_branch: 'trunk',
          source_project_id: 42,
          target_project_id: 42,
          squash: true,
        },
        merge_params: { force_remove_source_branch: '1' },
        merge_request_diff: {
          ...{ state: 'collected', base_commit_sha: commits.main, start_commit_sha: commits.main },
          ...{ head_commit_sha: commits.topic, real_size: '1', created_at: AT },
          merge_request_diff_commits: [{ sha: commits.topic, relative_order: 0, message: 'Louder' }],
          merge_request_diff_files: [{ new_path: 'a.txt', utf8_diff: '@@ -1 +1 @@\n-a\n+b\n' }],
        },
        label_links: [{ label: bug }],
        milestone,
        merge_request_assignees: [{ user_id: 1 }],
        merge_request_reviewers: [{ user_id: 1, state: 'reviewed', created_at: AT }],
        approvals: [{ user_id: 1, created_at: AT }],
        notes: [
          note('Too loud\n\n```suggestion:-0+0\ntwo!\n```', 1, {
            ...{ type: 'DiffNote', discussion_id: 'cafe', position, original_position: position, resolved_at: AT },
            ...{ resolved_by_id: 2, note_diff_file: { diff_export: '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n' } },
            suggestions: [
              { from_content: 'TWO\n', to_content: 'two!\n', lines_above: 0, lines_below: 0, applied: false },
            ],
          }),
          note('Really?', 2, { type: 'DiffNote', discussion_id: 'cafe', position, original_position: position }),
        ],
      },
      {
        ...{ iid: 2, title: 'From a fork', author_id: 9, state: 'merged', source_branch: 'x', target_branch: 'trunk' },
        ...{ source_project_id: null, target_project_id: 42, merge_commit_sha: commits.main, ...when },
        metrics: { merged_at: '2024-03-05T00:00:00.000Z', merged_by_id: 1 },
      },
    ],
    'tree/project/commit_notes.ndjson': [
      note('Well done', 2, { commit_id: commits.main, discussion_id: 'd1', noteable_type: 'Commit' }),
    ],
    'tree/project/releases.ndjson': [
      {
        ...{ tag: 'v1', name: 'The first', description: 'Notes of it', author_id: 1, released_at: AT, ...when },
        links: [{ name: 'Binary', url: 'https://example.org/a.bin', filepath: '/bin/a', link_type: 'package' }],
        milestone_releases: [{ milestone }],
      },
    ],
    'tree/project/snippets.ndjson': [
      {
        title: 'Recipe',
        content: 'Bake',
        file_name: 'r.txt',
        author_id: 1,
        visibility_level: 10,
        notes: [note('Yum', 2)],
        ...when,
      },
    ],
    'tree/project/protected_branches.ndjson': [
      {
        ...{ name: 'stable-*', allow_force_push: true, ...when },
        push_access_levels: [{ access_level: 40, user_id: 2 }],
        merge_access_levels: [{ access_level: 30 }, { access_level: 40 }],
      },
    ],
    'tree/project/protected_tags.ndjson': [{ name: 'v*', create_access_levels: [{ access_level: 40 }], ...when }],
    'tree/project/project_members.ndjson': [
      { access_level: 40, user_id: 1, user: { id: 1, username: 'ada', public_email: emails.first }, ...when },
      { access_level: 30, user_id: 2, user: { id: 2, username: 'ben', public_email: emails.second }, ...when },
      {
        access_level: 50,
        user_id: 3,
        requested_at: AT,
        user: { id: 3, username: 'wants-in', public_email: 'w@example.org' },
      },
      { access_level: 30, user_id: null, invite_email: 'i@example.org', user: null },
    ],
    'tree/project/project_feature.ndjson': [
      { issues_access_level: 10, wiki_access_level: 20, builds_access_level: 0, pages_access_level: 10 },
    ],
    'tree/project/ci_cd_settings.ndjson': [{ group_runners_enabled: false, default_git_depth: 7 }],
    'tree/project/boards.ndjson': [
      {
        name: 'Work',
        hide_backlog_list: true,
        lists: [{ list_type: 'backlog' }, { list_type: 'label', position: 0, label: bug }],
      },
    ],
    'tree/project/push_rule.ndjson': [{ commit_message_regex: 'JIRA-\\d+', max_file_size: 7, prevent_secrets: true }],
    'tree/project/project_badges.ndjson': [
      { name: 'b', link_url: 'https://example.org', image_url: 'https://example.org/b.svg', type: 'ProjectBadge' },
      { name: 'evil', link_url: 'javascript:alert(1)', image_url: 'https://example.org/b.svg', type: 'ProjectBadge' },
    ],
    'tree/project/ci_pipelines.ndjson': [{ iid: 1, stages: [{ name: 'test' }] }, { iid: 2 }],
    'tree/project/some_future_thing.ndjson': [{ a: 1 }],
    'project.bundle': project,
    'project.wiki.bundle': wiki,
    'project.design.bundle': 'whatever',
    [`uploads/${SECRET}/notes.txt`]: 'what was attached\n',
    [`lfs-objects/${OID}`]: LFS,
    'lfs-objects.json': { [OID]: [0] },
    'avatar/logo.png': PNG,
  };
  return { files, commits };
}

/** The same project as versions before 13.0 exported it: all records in one file. */
export function asOneFile(files: Files): Files {
  const SINGLE = new Set(['project_feature', 'ci_cd_settings', 'push_rule']);
  const { topics: _topics, ...head } = files['tree/project.json'] as Record<string, Json>;
  const whole: Record<string, Json> = { ...head, tag_list: 'fruit, red' };
  const rest: Files = {};
  for (const [name, content] of Object.entries(files)) {
    const [, relation] = /^tree\/project\/(\w+)\.ndjson$/.exec(name) ?? [];
    if (relation !== undefined) whole[relation] = SINGLE.has(relation) ? (content as Json[])[0] : content;
    else if (name !== 'tree/project.json') rest[name] = content;
  }
  return { ...rest, 'project.json': JSON.stringify(whole, null, 2) };
}
