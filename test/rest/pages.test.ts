import { describe, expect, it } from 'vitest';
import { fetchProof, PROOF_PATH } from '#src/domain/sites/proof_file.ts';
import { verifyDomains } from '#src/domain/sites/verify.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { projectWithCommit } from '../support/ci.ts';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { projectToken, registerRunner } from '../support/runner.ts';
import { PAGES_HOST, startSites } from '../support/sites.ts';
import { zip } from '../support/zip.ts';

const { world, publish, visit } = await startSites();
const [owner, developer] = [await world.user(), await world.user()];
const api = world.api(owner);

/** A public project in a group of its own, with its site. */
async function published(files: Record<string, string> = { 'public/index.html': 'site' }) {
  const group = await world.group({ owner, visibility: 'public' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
  await world.member(project, developer, 'developer');
  await publish(owner, project, files);
  const at = `/projects/${project.id}/pages`;
  return { group, project, at, domains: `${at}/domains`, host: group.path, path: `/${project.path}/` };
}

/** Answers look-ups of TXT records with these, by their names. */
function setTxt(records: Record<string, string[]>): void {
  Object.assign(world.imports, {
    resolveTxt: async (name: string) => records[name] ?? Promise.reject(new Error('ENOTFOUND')),
  });
}

describe('The settings of a site', () => {
  it('tell its address and what is served, and are changed', async () => {
    const { project, group, at } = await published();
    await publish(owner, project, { 'public/index.html': 'part' }, { path_prefix: 'mr-1' });
    const url = `http://${group.path}.${PAGES_HOST}/${project.path}`;
    const deployment = (path_prefix: string) => ({
      created_at: expect.any(String),
      url: path_prefix ? `${url}/${path_prefix}` : url,
      path_prefix,
      root_directory: 'public',
    });
    const record = {
      url,
      is_unique_domain_enabled: false,
      force_https: true,
      primary_domain: null,
      deployments: [deployment('mr-1'), deployment('')],
    };
    expect((await world.api(developer).get(at)).body).toEqual(record);
    const { status, body } = await api.patch(at, { pages_https_only: false });
    expect([status, body]).toEqual([200, { ...record, force_https: false }]);
    expect((await world.api(developer).patch(at, { pages_https_only: true })).status).toBe(403);
    expect((await api.patch(at, { pages_primary_domain: 'www.example.com' })).body).toEqual({
      message: { pages_primary_domain: ['must be a verified domain of the project'] },
    });
    const audited = await world.db.auditEvent.findMany({ where: { projectId: project.id, action: 'pages_updated' } });
    expect(audited.map(({ attribute, oldValue, newValue }) => [attribute, oldValue, newValue])).toEqual([
      ['https_only', 'true', 'false'],
    ]);
  });

  it('give it a host of its own, to which its path at the group then leads', async () => {
    const { project, at, host, path } = await published();
    const { body } = await api.patch(at, { pages_unique_domain_enabled: true });
    const { hostname } = new URL(body.url);
    expect(hostname).toMatch(new RegExp(`^${project.path}-[0-9a-f]{8}\\.${PAGES_HOST}$`));
    expect((await visit(hostname, '/')).body).toBe('site');
    const led = await visit(host, `${path}a%20b?c=d`);
    expect([led.status, led.headers.location]).toEqual([308, `http://${hostname}/a%20b?c=d`]);
    expect(
      (
        await visit(
          host,
          path.replace(/^\/./, (two) => `/%${two.charCodeAt(1).toString(16)}`),
        )
      ).headers.location,
    ).toBe(`http://${hostname}/`);
    await api.patch(at, { pages_unique_domain_enabled: false });
    expect((await visit(host, path)).body).toBe('site');
    expect((await api.patch(at, { pages_unique_domain_enabled: true })).body.url).toBe(`http://${hostname}`);
  });

  it('take the site out of use, and put deployments back', LONG, async () => {
    const { project, at, host, path } = await published();
    expect((await api.delete(at)).status).toBe(204);
    expect((await visit(host, path)).status).toBe(302);
    const { id } = await world.db.pagesDeployment.findFirstOrThrow({ where: { projectId: project.id } });
    const restore = `mutation ($id: ID!) { restorePagesDeployment(input: { id: $id }) { pagesDeployment { active fileCount size url } } }`;
    const as = (who: typeof owner, document: string) => world.graphql(document, { id: String(id) }, who);
    expect((await as(developer, restore)).body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await as(owner, restore)).body.data.restorePagesDeployment.pagesDeployment).toMatchObject({
      active: true,
      fileCount: 1,
      size: 4,
    });
    expect((await visit(host, path)).body).toBe('site');
    const remove = `mutation ($id: ID!) { deletePagesDeployment(input: { id: $id }) { pagesDeployment { active } } }`;
    expect((await as(owner, remove)).body.data.deletePagesDeployment.pagesDeployment.active).toBe(false);
    const { body } = await world.graphql(
      'query ($id: ProjectRef!) { project(ref: $id) { pagesDeployments(active: false) { totalCount nodes { pathPrefix deletedAt } } pages { problem } } }',
      { id: String(project.id) },
      developer,
    );
    expect(body.data.project).toEqual({
      pagesDeployments: { totalCount: 1, nodes: [{ pathPrefix: '', deletedAt: expect.any(String) }] },
      pages: { problem: null },
    });
    await world.db.pagesDeployment.update({ where: { id }, data: { deletedAt: new Date(0) } });
    expect((await as(owner, restore)).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('Domains of a site', () => {
  it('lead to it once a TXT record or a file proves them, and to nobody before', LONG, async () => {
    const { project, domains, at, host, path } = await published();
    setTxt({});
    const domain = `${world.unique('www')}.example.com`;
    const { status, body } = await api.post(domains, { domain: domain.toUpperCase() });
    expect([status, body]).toEqual([
      201,
      {
        domain,
        url: `http://${domain}`,
        project_id: project.id,
        verified: false,
        verification_code: expect.stringMatching(/^[0-9a-f]{32}$/),
        enabled_until: null,
        auto_ssl_enabled: true,
      },
    ]);
    expect((await visit(domain, '/')).body).not.toBe('site');
    expect((await api.put(`${domains}/${domain}/verify`)).status).toBe(400);
    setTxt({ [`_gantry-pages-verification-code.${domain}`]: [`gantry-pages-verification-code=${'0'.repeat(32)}`] });
    expect((await api.put(`${domains}/${domain}/verify`)).status).toBe(400);
    setTxt({
      [`_gitlab-pages-verification-code.${domain}`]: [`gitlab-pages-verification-code=${body.verification_code}`],
    });
    const { body: verified } = await api.put(`${domains}/${domain}/verify`);
    expect(verified).toMatchObject({ verified: true, enabled_until: expect.any(String) });
    expect((await visit(domain, '/')).body).toBe('site');
    expect((await api.patch(at, { pages_primary_domain: domain })).body.url).toBe(`http://${domain}`);
    const led = await visit(host, `${path}x`);
    expect([led.status, led.headers.location]).toEqual([308, `http://${domain}/x`]);
    expect((await world.send('GET', `/-/pages/ask?domain=${domain}`)).status).toBe(200);
    await api.put(`${domains}/${domain}`, { auto_ssl_enabled: false });
    expect((await world.send('GET', `/-/pages/ask?domain=${domain}`)).status).toBe(404);
    expect((await api.get(domains)).body).toMatchObject([{ domain, auto_ssl_enabled: false }]);
    expect((await api.delete(`${domains}/${domain}`)).status).toBe(204);
    expect((await api.get(`${domains}/${domain}`)).status).toBe(404);
    expect((await api.get(at)).body.primary_domain).toBeNull();
    expect((await visit(host, path)).body).toBe('site');
  });

  it('are proved by a file, which is asked for in the internet alone', async () => {
    const { domains } = await published();
    setTxt({});
    const domain = `${world.unique('file')}.example.com`;
    const { body } = await api.post(domains, { domain });
    const here = { lookup: async () => [{ address: '127.0.0.1', family: 4 }] };
    const receiver = await startReceiver();
    receiver.answer(PROOF_PATH, (_told, response) => void response.end(`${body.verification_code}\n`));
    Object.assign(world.imports, here);
    expect((await api.put(`${domains}/${domain}/verify`)).status).toBe(400);
    expect(await fetchProof(domain, { ...here, webhookHosts: [] }, receiver.port)).toBeNull();
    expect(receiver.told).toEqual([]);
    const named = { ...here, webhookHosts: [domain] };
    expect(await fetchProof(domain, named, receiver.port)).toBe(`${body.verification_code}\n`);
    receiver.answer(PROOF_PATH, (_told, response) => void response.end('x'.repeat(2_000)));
    expect(await fetchProof(domain, named, receiver.port)).toBeNull();
    receiver.answer(PROOF_PATH, 404);
    expect(await fetchProof(domain, named, receiver.port)).toBeNull();
  });

  it('belong to the project that proved them last, and are looked at again', LONG, async () => {
    const [one, other] = [
      await published({ 'public/index.html': 'one' }),
      await published({ 'public/index.html': 'other' }),
    ];
    const domain = `${world.unique('both')}.example.com`;
    for (const [{ domains, at }, text] of [
      [one, 'one'],
      [other, 'other'],
    ] as const) {
      const { body } = await api.post(domains, { domain });
      setTxt({ [domain]: [`gantry-pages-verification-code=${body.verification_code}`] });
      expect((await api.put(`${domains}/${domain}/verify`)).status).toBe(200);
      expect((await visit(domain, '/')).body).toBe(text);
      await api.patch(at, { pages_primary_domain: domain });
      expect((await api.get(at)).body.primary_domain).toBe(domain);
    }
    expect((await api.get(one.at)).body.primary_domain).toBeNull();
    expect((await api.get(`${one.domains}/${domain}`)).body.verified).toBe(false);
    setTxt({});
    const due = { checkedAt: new Date(Date.now() - 2 * 86_400_000) };
    await world.db.pagesDomain.updateMany({ where: { domain }, data: due });
    await verifyDomains(world);
    expect((await visit(domain, '/')).body).toBe('other');
    await world.db.pagesDomain.updateMany({ where: { domain }, data: { ...due, enabledUntil: new Date(0) } });
    await verifyDomains(world);
    expect((await api.get(`${other.domains}/${domain}`)).body.verified).toBe(false);
    expect((await api.get(other.at)).body.primary_domain).toBeNull();
    expect((await visit(domain, '/')).body).not.toBe('other');
  });

  it.each([
    ['localhost'],
    ['127.0.0.1'],
    [PAGES_HOST],
    [`x.${PAGES_HOST}`],
    ['a b.example.com'],
    ['example.com/x'],
    ['-a.example.com'],
    [`${'a'.repeat(64)}.example.com`],
    ['*.example.com'],
    [''],
  ])('are names of hosts elsewhere: not %s', async (domain) => {
    const { domains } = await published();
    expect((await api.post(domains, { domain })).status).toBe(400);
  });

  it('are unique in a project, take no certificates, and are all shown to administrators', async () => {
    const { domains } = await published();
    const domain = `${world.unique('all')}.example.com`;
    await api.post(domains, { domain });
    expect((await api.post(domains, { domain })).body).toEqual({ message: { domain: ['has already been taken'] } });
    expect((await api.post(domains, { domain: 'other.example.com', certificate: 'PEM' })).status).toBe(400);
    const admin = world.api(await world.user({ admin: true }));
    expect((await admin.get(`/pages/domains?domain=${domain}`)).body).toMatchObject([{ domain }]);
    expect((await api.get('/pages/domains')).status).toBe(403);
  });
});

it('proxies are told of hosts with open sites alone', async () => {
  const { project, host } = await published();
  const asked = async (domain: string) => (await world.send('GET', `/-/pages/ask?domain=${domain}`)).status;
  expect(await asked(`${host}.${PAGES_HOST}`)).toBe(200);
  expect(await asked(`nobody.${PAGES_HOST}`)).toBe(404);
  expect(await asked('www.example.org')).toBe(404);
  await api.put(`/projects/${project.id}`, { pages_access_level: 'private' });
  expect(await asked(`${host}.${PAGES_HOST}`)).toBe(404);
});

it('badges name the host of sites', async () => {
  const { project } = await published();
  const url = 'https://%{gitlab_pages_domain}/%{project_name}.svg';
  const { body } = await api.post(`/projects/${project.id}/badges`, { link_url: url, image_url: url });
  expect(body.rendered_image_url).toBe(`https://${PAGES_HOST}/${project.path}.svg`);
});

it('a job publishes its site by itself once it has succeeded, and knows where', LONG, async () => {
  const config =
    'docs: {script: x, pages: {publish: out, path_prefix: "Review $CI_COMMIT_REF_NAME", expire_in: 2 hours}}';
  const { project } = await projectWithCommit(world, owner, { config, visibility: 'public' });
  await world.idle();
  const runner = await registerRunner(world, { token: await projectToken(world, owner, project.id) });
  const { body: job } = await runner.request();
  const url = `http://${owner.username}.${PAGES_HOST}/${project.path}`;
  const value = (key: string) => job.variables.find((one: { key: string }) => one.key === key)?.value;
  expect(['CI_PAGES_DOMAIN', 'CI_PAGES_HOSTNAME', 'CI_PAGES_URL'].map(value)).toEqual([
    PAGES_HOST,
    `${owner.username}.${PAGES_HOST}`,
    `${url}/review-master`,
  ]);
  expect(job.artifacts).toMatchObject([{ paths: ['out'] }]);
  await storeArtifacts(
    world,
    { id: job.id, projectId: project.id },
    { content: await zip({ 'out/index.html': 'built' }) },
  );
  await runner.send('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
  await world.idle();
  expect((await visit(owner.username, `/${project.path}/review-master/`)).body).toBe('built');
  const { expiresAt } = await world.db.pagesDeployment.findFirstOrThrow({ where: { projectId: project.id } });
  expect(Math.round((Number(expiresAt) - Date.now()) / 60_000)).toBeLessThanOrEqual(120);
});
