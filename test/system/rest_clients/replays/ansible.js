// The `gitlab_…` modules of Ansible: each looks for a record, makes it where it is missing, and changes it where it is not as it should be.
// Run again, none of them changes anything.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { call, walked } from './call.js';

const mark = `crew-${process.pid}`;
const EXPIRES = '2027-05-01';

/** A public key of OpenSSH. */
function newKey() {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
  const field = (bytes) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(raw)]).toString('base64')} ${mark}`;
}

/** The record at a path; null if there is none. */
async function get(path) {
  try {
    return await call('GET', path);
  } catch (error) {
    if (error.actual === 404) return null;
    throw error;
  }
}

/** Asks a list page by page until one is empty, as the modules for labels and milestones do. */
async function pages(path) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const some = await call('GET', path, { query: { page } });
    found.push(...some);
    if (some.length === 0) return found;
  }
}

const all = (path, query = {}) => call('GET', path, { query: { per_page: 100, ...query } });

/**
 * Whether something had to be done. What is given is compared with the record that was found, key by key, but for those in `silent`, which
 * no record shows.
 */
async function ensure(found, wanted, make, change, silent = []) {
  if (!found) {
    await make(wanted);
    return true;
  }
  const differs = Object.entries(wanted).some(
    ([key, value]) => !silent.includes(key) && value !== null && !isDeepStrictEqual(found[key], value),
  );
  if (differs) await change(wanted, found);
  return differs;
}

const post = (path) => (body) => call('POST', path, { body });
const put = (path) => (body) => call('PUT', path, { body });
const any = (answers) => answers.some(Boolean);

async function inTurn(works) {
  const answers = [];
  for (const work of works) answers.push(await work());
  return any(answers);
}

const projectOf = () => call('GET', `/projects/${encodeURIComponent(`${mark}/site`)}`);
const groupOf = () => call('GET', `/groups/${mark}`);
const userOf = async (name) => (await all('/users', { username: `${name}-${mark}` }))[0];
const keys = { user: newKey(), deploy: newKey() };

const user = async (name) => {
  const username = `${name}-${mark}`;
  const found = (await all('/users', { search: username })).find((one) => one.username === username);
  const wanted = { name, username, email: `${username}@example.com`, admin: false, external: false };
  const hidden = { password: 'of the house 17', reset_password: false, skip_confirmation: true };
  const shown = found && { ...found, admin: found.is_admin };
  return ensure(shown, wanted, (values) => post('/users')({ ...values, ...hidden }), put(`/users/${found?.id}`));
};

const member = async (at, level) => {
  const { id } = await userOf('bob');
  const found = await get(`${at}/members/${id}`);
  const wanted = { access_level: level };
  return ensure(
    found,
    wanted,
    (values) => post(`${at}/members`)({ user_id: id, ...values }),
    put(`${at}/members/${id}`),
  );
};

const VARIABLE = { masked: false, protected: false, raw: false, variable_type: 'env_var' };

const variables = async (at, more, scope) => {
  const found = await all(at);
  const wanted = [
    { key: `A_${process.pid}`, value: 'abc', ...VARIABLE, ...more },
    {
      key: `SECRET_${process.pid}`,
      value: '3214cbadxx',
      ...VARIABLE,
      ...more,
      masked: true,
      protected: true,
      ...scope,
    },
  ];
  return inTurn(
    wanted.map((one) => () => {
      const known = found.find(({ key, environment_scope: at }) => key === one.key && at === one.environment_scope);
      return ensure(known, one, post(at), put(`${at}/${one.key}`), ['masked_and_hidden']);
    }),
  );
};

const token = async (at, scopes) => {
  const found = (await call('GET', `${at}/access_tokens`)).find(({ name, revoked }) => name === 'token' && !revoked);
  const wanted = { name: 'token', scopes, access_level: 30, expires_at: EXPIRES };
  return ensure(found, wanted, post(`${at}/access_tokens`), () => assert.fail('a token is made anew'));
};

const titled = async (at, key, wanted) => {
  const found = await pages(at);
  return inTurn(
    wanted.map((one) => () => {
      const known = found.find((other) => other[key] === one[key]);
      return ensure(known, one, post(at), put(`${at}/${known?.id}`));
    }),
  );
};

const runner = async (list, wanted) => {
  const description = `machine of ${mark} ${wanted.runner_type}`;
  const listed = (await all(list)).find((one) => one.description === description);
  const found = listed && (await call('GET', `/runners/${listed.id}`));
  const values = {
    description,
    tag_list: ['docker'],
    locked: false,
    run_untagged: false,
    maximum_timeout: 3600,
    paused: false,
  };
  return ensure(found, values, (made) => post('/user/runners')({ ...made, ...wanted }), put(`/runners/${found?.id}`));
};

/** The modules by their names behind `gitlab_`; some are used for several places. */
const MODULES = {
  group: async () => {
    const wanted = { name: mark, path: mark, visibility: 'private' };
    return ensure(await get(`/groups/${mark}`), wanted, post('/groups'), put(`/groups/${mark}`));
  },
  user: async () => {
    const made = [await user('ada'), await user('bob')];
    const { id } = await userOf('ada');
    const known = (await all(`/users/${id}/keys`)).find(({ title }) => title === 'k');
    const added = await ensure(known, { title: 'k', key: keys.user }, post(`/users/${id}/keys`), () =>
      assert.fail('a key'),
    );
    const { id: group } = await groupOf();
    const found = await get(`/groups/${group}/members/${id}`);
    const joins = (values) => post(`/groups/${group}/members`)({ user_id: id, ...values });
    return any([...made, added, await ensure(found, { access_level: 30 }, joins, () => assert.fail('a level'))]);
  },
  project: async () => {
    const { id } = await groupOf();
    const { id: namespace } = await call('GET', `/namespaces/${id}`);
    const found = await get(`/projects/${encodeURIComponent(`${mark}/site`)}`);
    const features = { issues_enabled: true, merge_requests_enabled: true, snippets_enabled: true, wiki_enabled: true };
    const wanted = { name: 'site', visibility: 'private', merge_method: 'ff', lfs_enabled: false, ...features };
    const first = { path: 'site', initialize_with_readme: true, default_branch: 'main', namespace_id: namespace };
    const make = (values) => post('/projects')({ ...values, ...first });
    return ensure(found, wanted, make, put(`/projects/${found?.id}`));
  },
  branch: async () => {
    const at = `/projects/${(await projectOf()).id}/repository/branches`;
    const found = await get(`${at}/topic`);
    if (!found) await call('GET', `${at}/main`);
    return ensure(found, {}, () => post(at)({ branch: 'topic', ref: 'main' }));
  },
  deploy_key: async () => {
    const at = `/projects/${(await projectOf()).id}/deploy_keys`;
    const found = (await all(at)).find(({ title }) => title === 'Jenkins');
    const wanted = { title: 'Jenkins', key: keys.deploy, can_push: true };
    return ensure(found, wanted, post(at), () => assert.fail('a deploy key'));
  },
  group_access_token: async () => token(`/groups/${(await groupOf()).id}`, ['api']),
  project_access_token: async () => token(`/projects/${(await projectOf()).id}`, ['api', 'read_repository']),
  group_members: async () => {
    const found = (await all('/groups', { search: mark })).find(({ full_path }) => full_path === mark);
    return member(`/groups/${found.id}`, 30);
  },
  project_members: async () => member(`/projects/${(await projectOf()).id}`, 40),
  group_variable: async () => variables(`/groups/${(await groupOf()).id}/variables`, { environment_scope: '*' }, {}),
  project_variable: async () => {
    const scope = { environment_scope: 'production' };
    return variables(`/projects/${(await projectOf()).id}/variables`, { environment_scope: '*' }, scope);
  },
  instance_variable: async () => variables('/admin/ci/variables', {}, {}),
  hook: async () => {
    const at = `/projects/${(await projectOf()).id}/hooks`;
    const found = (await all(at)).find(({ url }) => url === 'https://ci.example.com/hook');
    const off = ['issues', 'merge_requests', 'note', 'job', 'pipeline', 'wiki_page'].map((name) => [
      `${name}_events`,
      false,
    ]);
    const wanted = {
      url: 'https://ci.example.com/hook',
      push_events: true,
      push_events_branch_filter: 'main',
      tag_push_events: true,
      enable_ssl_verification: false,
      ...Object.fromEntries(off),
      token: null,
      custom_webhook_template: null,
    };
    const make = async (values) => {
      const { id, url } = await post(at)(values);
      await put(`${at}/${id}`)({ url });
    };
    return ensure(found, wanted, make, put(`${at}/${found?.id}`));
  },
  issue: async () => {
    const at = `/projects/${(await projectOf()).id}`;
    const [found] = await call('GET', `${at}/issues`, { query: { search: 'Demo', in: 'title', state: 'opened' } });
    const [{ id }] = await call('GET', `${at}/users`, { query: { username: `bob-${mark}` } });
    const wanted = {
      title: 'Demo',
      description: 'Text',
      labels: ['a', 'b'],
      issue_type: 'issue',
      milestone_id: null,
      assignee_ids: [id],
    };
    const shown = found && { ...found, assignee_ids: found.assignees.map((one) => one.id) };
    return ensure(shown, wanted, post(`${at}/issues`), put(`${at}/issues/${found?.iid}`));
  },
  label: async () => {
    const at = `/projects/${(await projectOf()).id}`;
    const labels = [
      { name: 'one', color: '#123456', description: 'd', priority: 20 },
      { name: 'two', color: '#554422', description: '' },
    ];
    const ofGroup = [{ name: 'of the group', color: '#123456', description: '' }];
    return any([
      await titled(`${at}/labels?include_ancestor_groups=false`, 'name', labels),
      await titled(`/groups/${(await groupOf()).id}/labels`, 'name', ofGroup),
    ]);
  },
  milestone: async () => {
    const at = `/projects/${(await projectOf()).id}`;
    const milestones = [
      { title: 'm1', description: 'd', start_date: '2026-01-04', due_date: '2026-02-04' },
      { title: 'm2', description: '' },
    ];
    const ofGroup = [{ title: 'g1', description: '', start_date: '2026-01-04' }];
    return any([
      await titled(`${at}/milestones`, 'title', milestones),
      await titled(`/groups/${(await groupOf()).id}/milestones`, 'title', ofGroup),
    ]);
  },
  project_badge: async () => {
    const at = `/projects/${(await projectOf()).id}/badges`;
    const link_url = 'https://x.example.com/%{project_path}';
    const found = (await all(at)).find((badge) => badge.link_url === link_url);
    return ensure(found, { link_url, image_url: `${link_url}.svg` }, post(at), () => assert.fail('a badge'));
  },
  protected_branch: async () => {
    const at = `/projects/${(await projectOf()).id}/protected_branches`;
    const found = await get(`${at}/stable%2A`);
    const levels = (list) => list.map(({ access_level }) => access_level);
    const shown = found && {
      ...found,
      merge_access_level: levels(found.merge_access_levels)[0],
      push_access_level: levels(found.push_access_levels)[0],
    };
    const wanted = {
      name: 'stable*',
      merge_access_level: 40,
      push_access_level: 0,
      allow_force_push: null,
      code_owner_approval_required: null,
    };
    return ensure(shown, wanted, post(at), () => assert.fail('a protected branch'));
  },
  runner: async () => {
    await call('GET', '/version');
    const path = `${mark}/site`;
    return any([
      await runner('/runners/all', { runner_type: 'instance_type' }),
      await runner(`/projects/${(await projectOf()).id}/runners`, { runner_type: 'project_type', project_id: path }),
    ]);
  },
  merge_request: async () => {
    const at = `/projects/${(await projectOf()).id}`;
    const file = { branch: 'topic', commit_message: 'Add a file', content: 'text\n' };
    if (!(await get(`${at}/repository/files/new.txt?ref=topic`))) await post(`${at}/repository/files/new.txt`)(file);
    const query = { source_branch: 'topic', target_branch: 'main', state: 'opened', search: 'Demo MR' };
    const [found] = await call('GET', `${at}/merge_requests`, { query });
    const wanted = { title: 'Demo MR', description: 'Text', labels: ['a', 'b'] };
    const first = { source_branch: 'topic', target_branch: 'main', remove_source_branch: true, labels: 'a,b' };
    const shown = found && { ...found, labels: found.labels.toSorted() };
    const make = (values) => post(`${at}/merge_requests`)({ ...values, ...first });
    return ensure(shown, wanted, make, put(`${at}/merge_requests/${found?.iid}`));
  },
};

for (const run of ['first', 'second']) {
  for (const [name, module] of Object.entries(MODULES)) {
    assert.equal(await module(), run === 'first', `gitlab_${name} in its ${run} run`);
  }
}
walked();
