import { describe, expect, it } from 'vitest';
import { basic, digest, formWith, registryWorld } from '../support/registry.ts';
import { endJob, takenJob } from '../support/running_job.ts';

const { world, owner, developer, reporter, made, send } = await registryWorld();

/** What twine sends of a file. */
function uploadOf(name: string, version: string, fileName: string, more: Record<string, string> = {}): FormData {
  const content = `content of ${fileName}`;
  const texts = {
    ...{ ':action': 'file_upload', protocol_version: '1', metadata_version: '2.1', name, version },
    ...{
      sha256_digest: digest('sha256', content),
      md5_digest: digest('md5', content),
      filetype: 'bdist_wheel',
      ...more,
    },
  };
  return formWith(texts, 'content', new File([content], fileName));
}

const WHEEL = 'My_App-1.0.0-py3-none-any.whl';

describe('The PyPI registry', () => {
  it('takes what twine uploads, and lists it for pip under any way to write its name', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/pypi`;
    const form = uploadOf('My_App', '1.0.0', WHEEL, { requires_python: '>=3.9,<4' });
    expect((await send(developer, 'POST', at, { body: form })).status).toBe(201);
    expect(
      (await send(developer, 'POST', `${at}/`, { body: uploadOf('my.app', '1.1', 'my.app-1.1.tar.gz') })).status,
    ).toBe(201);
    const index = await send(reporter, 'GET', `${at}/simple/MY.app/`);
    const html = await index.text();
    expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const sha256 = digest('sha256', `content of ${WHEEL}`);
    const url = `${world.url}/api/v4${at}/files/${sha256}/${WHEEL}`;
    expect(html).toContain(`<a href="${url}#sha256=${sha256}" data-requires-python="&gt;=3.9,&lt;4">${WHEEL}</a>`);
    expect(html).toContain('my.app-1.1.tar.gz</a>');
    const file = await send(reporter, 'GET', url);
    expect([file.status, await file.text()]).toEqual([200, `content of ${WHEEL}`]);
    expect((await send(reporter, 'GET', url.replace(sha256, digest('sha256', 'x')))).status).toBe(404);
    const names = await (await send(reporter, 'GET', `${at}/simple`)).text();
    expect(names).toContain('>my-app</a>');
    const { body } = await world.api(reporter).get(`/projects/${project.id}/packages?package_type=pypi&sort=desc`);
    expect(body).toMatchObject([
      { name: 'my-app', version: '1.1', package_type: 'pypi' },
      { name: 'my-app', version: '1.0.0', package_type: 'pypi' },
    ]);
  });

  it('answers in JSON to those who ask for it, and with 304 to those who have it', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/pypi`;
    await send(developer, 'POST', at, {
      body: uploadOf('app', '1.0.0', 'app-1.0.0.tar.gz', { requires_python: '>=3' }),
    });
    const Accept = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01';
    const answer = await send(reporter, 'GET', `${at}/simple/app/`, { headers: { Accept } });
    expect(answer.headers.get('content-type')).toBe('application/vnd.pypi.simple.v1+json');
    expect(await answer.json()).toMatchObject({
      meta: { 'api-version': '1.1' },
      name: 'app',
      versions: ['1.0.0'],
      files: [
        {
          filename: 'app-1.0.0.tar.gz',
          hashes: { sha256: digest('sha256', 'content of app-1.0.0.tar.gz') },
          'requires-python': '>=3',
          size: 27,
        },
      ],
    });
    const etag = answer.headers.get('etag') ?? '';
    const again = await send(reporter, 'GET', `${at}/simple/app/`, { headers: { Accept, 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await send(developer, 'POST', at, { body: uploadOf('app', '2.0.0', 'app-2.0.0.tar.gz') });
    const later = await send(reporter, 'GET', `${at}/simple/app/`, { headers: { Accept, 'If-None-Match': etag } });
    expect(later.status).toBe(200);
  });

  it('keeps a file of a name once, and refuses what does not fit together', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/pypi`;
    const post = async (form: FormData) => {
      const answer = await send(developer, 'POST', at, { body: form });
      return [answer.status, await answer.text()] as const;
    };
    expect((await post(uploadOf('app', '1', 'app-1.tar.gz')))[0]).toBe(201);
    // What `twine upload --skip-existing` looks for.
    expect(await post(uploadOf('app', '1', 'app-1.tar.gz'))).toEqual([
      400,
      expect.stringContaining('has already been taken'),
    ]);
    const wrong = [
      uploadOf('app', '2', 'other-2.tar.gz'),
      uploadOf('app', '2', 'app-2.exe'),
      uploadOf('app', '2', 'app-2.tar.gz', { sha256_digest: digest('sha256', 'y') }),
      uploadOf('app', '', 'app-2.tar.gz'),
      uploadOf('', '2', 'app-2.tar.gz'),
      uploadOf('../app', '2', '../app-2.tar.gz'),
      uploadOf('app', '2/../3', 'app-2.tar.gz'),
      uploadOf('app', '2', 'app-2.tar.gz', { ':action': 'submit' }),
    ];
    for (const form of wrong) expect((await post(form))[0]).toBe(400);
    expect(await world.db.packageFile.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('of a group has what its projects published, as far as the caller may read it', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const [open, closed] = [await made({ namespaceId: group.id }), await made({ namespaceId: group.id })];
    await send(developer, 'POST', `/projects/${open.id}/packages/pypi`, { body: uploadOf('app', '1', 'app-1.tar.gz') });
    await send(developer, 'POST', `/projects/${closed.id}/packages/pypi`, {
      body: uploadOf('app', '2', 'app-2.tar.gz'),
    });
    const viewer = await world.user();
    await world.member(open, viewer, 'reporter');
    const index = `/groups/${group.id}/-/packages/pypi/simple/app/`;
    const seen = await (await send(viewer, 'GET', index)).text();
    expect([seen.includes('app-1.tar.gz'), seen.includes('app-2.tar.gz')]).toEqual([true, false]);
    const all = await (await send(developer, 'GET', index)).text();
    expect(all).toContain(`/api/v4/projects/${closed.id}/packages/pypi/files/`);
    expect((await send(viewer, 'GET', index.replace('app', 'none'))).status).toBe(404);
  });

  it('asks those who are not signed in for a token, which may be that of a job or a deploy token', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/pypi`;
    const anonymous = await send(null, 'GET', `${at}/simple/app/`);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Basic /),
    ]);
    expect((await send(null, 'POST', at, { body: uploadOf('app', '1', 'app-1.tar.gz') })).status).toBe(401);
    const bad = { headers: basic('x', 'wrong'), body: uploadOf('app', '1', 'app-1.tar.gz') };
    expect((await send(null, 'POST', at, bad)).status).toBe(401);
    const job = await takenJob(world, developer, project);
    const byJob = { headers: basic('gitlab-ci-token', job.token), body: uploadOf('app', '1', 'app-1.tar.gz') };
    expect((await send(null, 'POST', at, byJob)).status).toBe(201);
    await endJob(world, job.id);
    const values = { name: 'reads', scopes: ['read_package_registry'], username: 'robot' };
    const { body: token } = await world.api(owner).post(`/projects/${project.id}/deploy_tokens`, values);
    const deploy = basic('robot', token.token);
    expect((await send(null, 'GET', `${at}/simple/app/`, { headers: deploy })).status).toBe(200);
    const form = uploadOf('app', '2', 'app-2.tar.gz');
    expect((await send(null, 'POST', at, { headers: deploy, body: form })).status).toBe(403);
  });
});
