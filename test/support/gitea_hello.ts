import { type GiteaContent, GiteaServer } from './gitea_server.ts';
import { type HelloCommits, HUNK, helloRepositories } from './hello_repositories.ts';
import { PNG } from './project_archives.ts';

const PROJECT = 'octo-org/hello-world';
const TIME = '2024-03-01T10:00:00Z';
// With the offset of the server, which Gitea has in its times.
const at = (minutes: number) =>
  new Date(Date.parse(TIME) + (minutes + 60) * 60_000).toISOString().replace('.000Z', '+01:00');

const NEVER_SHOWN = 'noreply.gitea.example';
/** The file that issue 1 shows, and the one that is attached to its comment. */
export const SHOT = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
export const LOG = '1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';

const PEOPLE = {
  octocat: { id: 1, full_name: 'The Octocat', email: 'octocat@example.com' },
  hubot: { id: 2, full_name: '', email: `hubot@${NEVER_SHOWN}` },
  Ghost: { id: -1, full_name: '', email: '' },
} as const;
const user = (login: keyof typeof PEOPLE) => ({ ...PEOPLE[login], login, username: login, is_admin: false });

/** A server with the small project that the one of GitHub has (github_server.ts), as far as Gitea has the like. */
export async function giteaHelloWorld(): Promise<GiteaServer> {
  const { bare, wiki, ...commits } = await helloRepositories();
  const server = await GiteaServer.start((host) => contentOf(host, commits));
  server.repositories[`${PROJECT}.git`] = bare;
  server.repositories[`${PROJECT}.wiki.git`] = wiki;
  return server;
}

const bug = { id: 11, name: 'bug', color: 'f29513', description: 'Something is not working', exclusive: false };
const feature = { id: 12, name: 'feature', color: '00ff00', description: '', exclusive: false };
const milestone = {
  id: 907,
  title: 'v1.0',
  description: 'Tracking milestone, see #3',
  state: 'open',
  open_issues: 1,
  closed_issues: 0,
  due_on: '2024-10-09T07:00:00Z',
  created_at: at(0),
  updated_at: at(1),
  closed_at: null,
};
const subject = {
  is_locked: false,
  assignees: null,
  labels: [],
  milestone: null,
  closed_at: null,
  due_date: null,
  updated_at: at(50),
};

function contentOf(host: string, commits: HelloCommits): GiteaContent {
  const web = `http://${host}/${PROJECT}`;
  return {
    repository: {
      id: 1_296_269,
      full_name: PROJECT,
      name: 'hello-world',
      private: false,
      internal: false,
      description: 'My first repository',
      website: 'https://hello.example',
      default_branch: 'main',
      has_issues: true,
      has_wiki: true,
      archived: false,
      default_delete_branch_after_merge: true,
      avatar_url: `http://${host}/repo-avatars/17`,
    },
    lists: {
      '/labels': [bug, feature],
      '/milestones': [milestone],
      '/issues': issuesOf(web),
      '/pulls': pullsOf(commits),
      '/issues/comments': commentsOf(web),
      ...reviewsOf(commits),
      ...timelines,
      '/releases': [release(web)],
      '/branch_protections': [
        {
          branch_name: 'main',
          rule_name: 'main',
          enable_push: false,
          enable_push_whitelist: false,
          enable_merge_whitelist: true,
        },
      ],
      '/collaborators': [user('hubot')],
      '/hooks': [{ id: 1, type: 'gitea', active: true, config: { url: 'https://ci.example/secret-path' } }],
    },
    records: {
      '/topics': { topics: ['octocat', 'api'] },
      '/collaborators/hubot/permission': { permission: 'write', role_name: 'write', user: user('hubot') },
    },
    files: {
      [`/${PROJECT}/releases/download/v1.0/hello.zip`]: Buffer.from('zip-bytes'),
      '/repo-avatars/17': PNG,
      [`/attachments/${SHOT}`]: Buffer.from('png'),
      [`/attachments/${LOG}`]: Buffer.from('log!'),
    },
  };
}

const asset = (id: number, uuid: string, name: string, address: string, size: number) => {
  return { id, uuid, name, size, download_count: 0, created_at: at(45), browser_download_url: address };
};

function issuesOf(web: string) {
  const { origin } = new URL(web);
  const issue = { ...subject, original_author: '', original_author_id: 0, pull_request: null, assets: [] };
  return [
    {
      ...issue,
      id: 101,
      number: 1,
      title: 'Found a bug',
      body: `@hubot broke it in #3 and ${PROJECT}#4, see ${web}/pulls/3 but not \`#3\` @octocat.\n\n\`\`\`\n#3 @hubot\n\`\`\`\n![shot](/attachments/${SHOT})`,
      state: 'open',
      user: user('octocat'),
      assignees: [user('hubot')],
      labels: [bug, feature],
      milestone,
      created_at: at(2),
      assets: [asset(78, SHOT, 'shot.png', `${origin}/attachments/${SHOT}`, 3)],
    },
    {
      ...issue,
      id: 102,
      number: 2,
      title: 'Closed one',
      body: '',
      state: 'closed',
      user: user('Ghost'),
      // It came from GitHub in its time.
      original_author: 'defunkt',
      original_author_id: 2,
      created_at: at(3),
      closed_at: at(30),
      is_locked: true,
    },
  ];
}

function pullsOf({ first, head, fix, merge }: HelloCommits) {
  const repo = { id: 1_296_269, full_name: PROJECT };
  const pull = {
    ...subject,
    requested_reviewers: [],
    merged: false,
    merged_at: null,
    merge_commit_sha: null,
    merged_by: null,
    merge_base: first,
    // The branch goes on, and pull requests name its last commit.
    base: { label: 'main', ref: 'main', sha: merge, repo_id: repo.id, repo },
  };
  return [
    {
      ...pull,
      id: 103,
      number: 3,
      title: 'WIP: Shout',
      body: 'Fixes #1',
      state: 'open',
      draft: true,
      user: user('octocat'),
      labels: [feature],
      requested_reviewers: [user('octocat')],
      head: { label: 'topic', ref: 'topic', sha: head, repo_id: repo.id, repo },
      created_at: at(4),
    },
    {
      ...pull,
      id: 104,
      number: 4,
      title: 'Fix it',
      body: 'From a fork',
      state: 'closed',
      user: user('hubot'),
      merged: true,
      merged_at: at(40),
      merged_by: user('octocat'),
      closed_at: at(40),
      merge_commit_sha: merge,
      head: { label: 'fix', ref: 'refs/pull/4/head', sha: fix, repo_id: -1, repo: null },
      created_at: at(5),
    },
  ];
}

function commentsOf(web: string) {
  const comment = { original_author: '', original_author_id: 0, assets: [], pull_request_url: '', issue_url: '' };
  const { origin } = new URL(web);
  return [
    {
      ...comment,
      id: 1,
      body: 'Me too, as in #4',
      user: user('hubot'),
      issue_url: `${web}/issues/1`,
      created_at: at(11),
      updated_at: at(11),
    },
    {
      ...comment,
      id: 2,
      body: 'Ready?',
      user: user('octocat'),
      pull_request_url: `${web}/pulls/3`,
      assets: [asset(79, LOG, 'build.log', `${origin}/attachments/${LOG}`, 4)],
      created_at: at(12),
      updated_at: at(12),
    },
  ];
}

function reviewsOf({ first, head, fix }: HelloCommits) {
  const review = { dismissed: false, stale: false, official: false, comments_count: 0, body: '', commit_id: head };
  const lineComment = (id: number, more: object) => ({
    id,
    pull_request_review_id: 2,
    path: 'a.txt',
    diff_hunk: HUNK,
    // The commit that wrote the line.
    commit_id: head,
    original_commit_id: '',
    position: 3,
    original_position: 0,
    user: user('hubot'),
    resolver: null,
    created_at: at(20 + id),
    updated_at: at(20 + id),
    ...more,
  });
  const ofOld = { diff_hunk: '@@ -1,2 +1,1 @@\n one\n-two', position: 0, original_position: 2, commit_id: first };
  return {
    '/pulls/3/reviews': [
      { ...review, id: 1, state: 'APPROVED', user: user('hubot'), submitted_at: at(35) },
      { ...review, id: 2, state: 'COMMENT', user: user('hubot'), submitted_at: at(36), comments_count: 4 },
      { ...review, id: 4, state: 'PENDING', user: user('octocat'), submitted_at: at(38) },
    ],
    // In the order of a table of hashes.
    '/pulls/3/reviews/2/comments': [
      lineComment(24, { body: 'All of it', position: 0, diff_hunk: '' }),
      lineComment(22, { body: 'Why?', user: user('octocat') }),
      lineComment(21, { body: 'Quieter\n\n```suggestion\nTwo\nThree\n```' }),
      lineComment(23, { body: 'Gone', resolver: user('octocat'), ...ofOld }),
    ],
    '/pulls/4/reviews': [
      {
        ...review,
        id: 3,
        state: 'REQUEST_CHANGES',
        body: 'Not like this, see #1',
        user: user('octocat'),
        submitted_at: at(37),
        commit_id: fix,
      },
    ],
  };
}

const timelines = {
  '/issues/1/timeline': [
    { id: 31, type: 'label', body: '1', user: user('octocat'), label: bug, created_at: at(6) },
    { id: 1, type: 'comment', body: 'Me too, as in #4', user: user('hubot'), label: null, created_at: at(11) },
  ],
  '/issues/2/timeline': [{ id: 32, type: 'close', body: '', user: user('hubot'), label: null, created_at: at(30) }],
  '/issues/3/timeline': [
    { id: 33, type: 'label', body: '', user: user('octocat'), label: bug, created_at: at(7) },
    { id: 34, type: 'pull_push', body: '{}', user: user('octocat'), label: null, created_at: at(8) },
  ],
  '/issues/4/timeline': [
    { id: 35, type: 'merge_pull', body: '', user: user('octocat'), label: null, created_at: at(40) },
  ],
};

function release(web: string) {
  const address = `${web}/releases/download/v1.0/hello.zip`;
  return {
    id: 1,
    tag_name: 'v1.0',
    name: 'The first',
    body: `Notes, see #4 and ${address}`,
    draft: false,
    prerelease: false,
    author: user('octocat'),
    created_at: at(45),
    published_at: at(46),
    assets: [asset(77, '2f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0', 'hello.zip', address, 9)],
  };
}
