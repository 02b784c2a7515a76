import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { controlOf, debOf, debWith } from '../support/debian.ts';
import { LONG } from '../support/long.ts';
import { cleartextVerified, detachedVerified } from '../support/openpgp.ts';
import { digest, registryWorld, tarOf } from '../support/registry.ts';

const { world, owner, master, developer, reporter, stranger, made, send } = await registryWorld();

/** A project with the distribution `bookworm`. */
async function withDistribution(more: object = {}, settings: Parameters<typeof made>[0] = {}): Promise<ProjectRow> {
  const project = await made(settings);
  const { status, body } = await world
    .api(developer)
    .post(`/projects/${project.id}/debian_distributions`, { codename: 'bookworm', suite: 'stable', ...more });
  expect([status, body]).toMatchObject([201, { codename: 'bookworm' }]);
  return project;
}

const at = ({ id }: { id: number }) => `/projects/${id}/packages/debian`;
const put = (project: { id: number }, file: string, body: Buffer | string, who = developer) =>
  send(who, 'PUT', `${at(project)}/${file}`, { body: body as never });
const text = async (path: string, who = reporter) => {
  const response = await send(who, 'GET', path);
  return response.status === 200 ? response.text() : `${response.status}`;
};

/** The source `hello` with the files of a build, as dput sends them. */
async function buildOf(version = '1.0-1', distribution = 'bookworm') {
  const deb = await debOf({ Version: version });
  const orig = Buffer.from(`sources of ${version}`);
  const list = (kind: string, files: [string, Buffer][], section = '') =>
    files.map(([name, content]) => `\n ${digest(kind, content)} ${content.length} ${section}${name}`).join('');
  const dsc = Buffer.from(`-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA512

Format: 3.0 (native)
Source: hello
Binary: hello
Architecture: any
Version: ${version}
Maintainer: Ann <ann@example.com>
Checksums-Sha256:${list('sha256', [[`hello_${version}.tar.xz`, orig]])}
Files:${list('md5', [[`hello_${version}.tar.xz`, orig]])}

-----BEGIN PGP SIGNATURE-----
x
-----END PGP SIGNATURE-----
`);
  const files: [string, Buffer][] = [
    [`hello_${version}.dsc`, dsc],
    [`hello_${version}.tar.xz`, orig],
    [`hello_${version}_amd64.deb`, deb],
  ];
  const changes = `Format: 1.8
Source: hello
Version: ${version}
Distribution: ${distribution}
Checksums-Sha256:${list('sha256', files)}
Files:${list('md5', files, 'net optional ')}
`;
  return { files, changes, deb };
}

describe('Distributions of Debian packages', () => {
  it('are made, listed, changed and deleted', async () => {
    const project = await made();
    const path = `/projects/${project.id}/debian_distributions`;
    const values = { codename: 'sid', suite: 'unstable', components: ['main', 'contrib'], architectures: ['arm64'] };
    const { status, body } = await world.api(developer).post(path, values);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...{ id: expect.any(Number), codename: 'sid', suite: 'unstable', origin: null, label: null, version: null },
      ...{ description: null, valid_time_duration_seconds: null },
      ...{ components: ['main', 'contrib'], architectures: ['all', 'arm64'] },
    });
    expect((await world.api(reporter).post(path, { codename: 'other' })).status).toBe(403);
    expect((await world.api(reporter).get(`${path}?codename=sid`)).body).toEqual([body]);
    expect((await world.api(reporter).get(`${path}?suite=stable`)).body).toEqual([]);
    expect((await world.api(reporter).get(`${path}/sid`)).body).toEqual(body);
    expect((await world.api(reporter).get(`${path}/unstable`)).status).toBe(404);
    expect((await world.api(stranger).get(path)).status).toBe(404);
    const changed = await world
      .api(developer)
      .put(`${path}/sid`, { suite: 'rolling', origin: 'Ann', valid_time_duration_seconds: 86_400 });
    expect(changed.body).toEqual({ ...body, suite: 'rolling', origin: 'Ann', valid_time_duration_seconds: 86_400 });
    expect((await world.api(developer).delete(`${path}/sid`)).status).toBe(403);
    expect((await world.api(master).delete(`${path}/sid`)).status).toBe(202);
    expect((await world.api(reporter).get(path)).body).toEqual([]);
    const events = await world.db.auditEvent.findMany({
      where: { projectId: project.id, targetType: 'DebianDistribution' },
      orderBy: { id: 'asc' },
    });
    expect(events.map((event) => [event.action, event.targetName, event.attribute, event.newValue])).toEqual([
      ['debian_distribution_created', 'sid', null, null],
      ['debian_distribution_updated', 'sid', 'suite', 'rolling'],
      ['debian_distribution_updated', 'sid', 'origin', 'Ann'],
      ['debian_distribution_updated', 'sid', 'valid_time', '86400'],
      ['debian_distribution_deleted', 'sid', null, null],
    ]);
  });

  it('refuse values that do not fit, and names that another has', async () => {
    const project = await withDistribution();
    const path = `/projects/${project.id}/debian_distributions`;
    const wrong = [
      [{ codename: 'a b' }, 'codename'],
      [{ codename: 'bookworm' }, 'codename'],
      [{ codename: 'stable' }, 'codename'],
      [{ codename: 'x', suite: 'bookworm' }, 'suite'],
      [{ codename: 'x', suite: 'x' }, 'suite'],
      [{ codename: 'x', origin: 'a\nSHA256: b' }, 'origin'],
      [{ codename: 'x', components: ['a/b'] }, 'components'],
      [{ codename: 'x', architectures: Array.from({ length: 21 }, (_, index) => `a${index}`) }, 'architectures'],
      [{ codename: 'x', valid_time_duration_seconds: 60 }, 'valid_time_duration_seconds'],
    ] as const;
    for (const [values, field] of wrong) {
      const { status, body } = await world.api(developer).post(path, values);
      expect([status, Object.keys((body as { message: object }).message)]).toEqual([400, [field]]);
    }
  });

  it('keep their private keys encrypted, and show the public ones', async () => {
    const project = await withDistribution();
    const key = await text(`/projects/${project.id}/debian_distributions/bookworm/key.asc`);
    expect(key).toContain('-----BEGIN PGP PUBLIC KEY BLOCK-----');
    const stored = await world.db.debianDistribution.findFirstOrThrow({ where: { projectId: project.id } });
    expect(Buffer.from(stored.privateKeyEncrypted).toString('latin1')).not.toContain('PRIVATE KEY');
  });
});

describe('The Debian repository', () => {
  it('publishes a package in a distribution, and lists it in signed indexes', LONG, async () => {
    const project = await withDistribution({ origin: 'Ann' });
    const deb = await debOf({ Source: 'greetings (2.0-1)' });
    const name = 'hello_1.0-1_amd64.deb';
    expect((await put(project, `${name}?distribution=stable&component=main`, deb)).status).toBe(201);
    const packages = await text(`${at(project)}/dists/bookworm/main/binary-amd64/Packages`);
    const path = `pool/bookworm/g/greetings/2.0-1/${name}`;
    expect(packages).toBe(
      `${controlOf({ Source: 'greetings (2.0-1)' })}Filename: ${path}\nSize: ${deb.length}\nMD5sum: ${digest('md5', deb)}\nSHA256: ${digest('sha256', deb)}\n\n`,
    );
    const release = await text(`${at(project)}/dists/stable/Release`);
    const sum = digest('sha256', packages);
    expect(release).toContain(`\n ${sum} ${packages.length} main/binary-amd64/Packages\n`);
    expect(release).toMatch(/^Origin: Ann\nSuite: stable\nCodename: bookworm\nDate: .*\nAcquire-By-Hash: yes\n/);
    const key = await text(`/projects/${project.id}/debian_distributions/bookworm/key.asc`);
    expect(await cleartextVerified(await text(`${at(project)}/dists/bookworm/InRelease`), key)).toBe(release);
    expect(await detachedVerified(release, await text(`${at(project)}/dists/bookworm/Release.gpg`), key)).toBe(true);
    expect(await detachedVerified(`${release}x`, await text(`${at(project)}/dists/bookworm/Release.gpg`), key)).toBe(
      false,
    );
    const file = await send(reporter, 'GET', `${at(project)}/${path}`);
    expect(Buffer.from(await file.arrayBuffer()).equals(deb)).toBe(true);
    expect(await text(`${at(project)}/${path.replace('bookworm', 'sid')}`)).toBe('404');
    expect(await text(`${at(project)}/dists/bookworm/main/binary-amd64/by-hash/SHA256/${sum}`)).toBe(packages);
    // Clients that have an earlier Release still get what it lists.
    expect(
      (
        await put(
          project,
          'b_1_all.deb?distribution=bookworm',
          await debOf({ Package: 'bb', Architecture: 'all', Version: '1' }),
        )
      ).status,
    ).toBe(201);
    expect(await text(`${at(project)}/dists/bookworm/main/binary-amd64/by-hash/SHA256/${sum}`)).toBe(packages);
    expect(await text(`${at(project)}/dists/bookworm/main/binary-amd64/Packages`)).toContain('\nPackage: bb\n');
    expect(await text(`${at(project)}/dists/bookworm/main/binary-all/Packages`)).not.toContain('Package: hello');
    expect(await text(`${at(project)}/dists/bookworm/main/binary-arm64/Packages`)).toBe('404');
    const listed = await world.api(reporter).get(`/projects/${project.id}/packages?package_type=debian`);
    expect(listed.body).toMatchObject([
      { name: 'greetings', version: '2.0-1', package_type: 'debian' },
      { name: 'bb', version: '1' },
    ]);
  });

  it('answers conditional requests with 304', async () => {
    const project = await withDistribution();
    const path = `${at(project)}/dists/bookworm/InRelease`;
    const first = await send(reporter, 'GET', path);
    const [etag, modified] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? ''];
    const again = (headers: Record<string, string>) => send(reporter, 'GET', path, { headers });
    expect((await again({ 'If-None-Match': etag })).status).toBe(304);
    expect((await again({ 'If-Modified-Since': modified })).status).toBe(304);
    await put(project, 'hello_1.0-1_amd64.deb?distribution=bookworm', await debOf());
    expect((await again({ 'If-None-Match': etag })).status).toBe(200);
  });

  it('publishes what a .changes file lists once all of it is there, each file once', LONG, async () => {
    const project = await withDistribution({ components: ['main', 'contrib'] });
    const { files, changes, deb } = await buildOf();
    const early = await put(project, 'hello_1.0-1_amd64.changes', changes);
    expect([early.status, await early.text()]).toEqual([400, expect.stringContaining('hello_1.0-1.dsc')]);
    for (const [name, content] of files) expect((await put(project, name, content)).status).toBe(201);
    expect((await world.api(reporter).get(`/projects/${project.id}/packages`)).body).toEqual([]);
    expect((await put(project, 'hello_1.0-1_amd64.changes', changes)).status).toBe(201);
    const sources = await text(`${at(project)}/dists/bookworm/main/source/Sources`);
    const [[dscName, dsc] = ['', Buffer.alloc(0)]] = files;
    expect(sources).toMatch(/^Package: hello\nFormat: 3\.0 \(native\)\n/);
    expect(sources).toContain('\nDirectory: pool/bookworm/h/hello/1.0-1\n');
    expect(sources).toContain(`Files:\n ${digest('md5', dsc)} ${dsc.length} ${dscName}\n `);
    expect(await text(`${at(project)}/dists/bookworm/main/binary-amd64/Packages`)).toContain(digest('sha256', deb));
    const own = await world.db.packageFile.findMany({ where: { projectId: project.id }, select: { fileName: true } });
    expect(own.map(({ fileName }) => fileName).sort()).toEqual(
      [...files.map(([name]) => name), 'hello_1.0-1_amd64.changes'].sort(),
    );
    // The same build once more changes nothing; another one of the version is refused.
    for (const [name, content] of files) await put(project, name, content);
    expect((await put(project, 'hello_1.0-1_amd64.changes', changes)).status).toBe(201);
    const other = Buffer.from('other sources');
    await put(project, 'hello_1.0-1.tar.xz', other);
    const [, orig = Buffer.alloc(0)] = files[1] ?? [];
    const forged = changes.replaceAll(digest('sha256', orig), digest('sha256', other));
    expect((await put(project, 'hello_1.0-1_amd64.changes', forged)).status).toBe(400);
  });

  it('refuses what is no Debian package, and keeps nothing of it', LONG, async () => {
    const project = await withDistribution();
    const bomb = debWith('control.tar.gz', zlib.gzipSync(Buffer.alloc(20 * 1024 * 1024)));
    const wrong: [string, Buffer | string, RegExp][] = [
      ['a_1_all.deb', 'no archive', /no Debian package/],
      ['a_1_all.deb', debWith('control.zip', Buffer.alloc(10)), /no control\.tar/],
      ['a_1_all.deb', debWith('control.tar.bz2', Buffer.alloc(10)), /not known/],
      ['a_1_all.deb', debWith('control.tar.gz', Buffer.from('x')), /cannot be unpacked/],
      ['a_1_all.deb', debWith('control.tar.xz', Buffer.from('x')), /cannot be unpacked/],
      ['a_1_all.deb', bomb, /cannot be unpacked/],
      ['a_1_all.deb', debWith('control.tar.gz', await tarOf({ './md5sums': '' })), /no control file/],
      ['a_1_all.deb', debWith('control.tar.gz', await tarOf({ './control': 'x'.repeat(70_000) })), /too large/],
      [
        'a_1_all.deb',
        debWith('control.tar.gz', await tarOf({ './control': 'Package: a\nVersion: 1\n' })),
        /Architecture/,
      ],
      [
        'a_1_all.deb',
        debWith('control.tar.gz', await tarOf({ './control': 'Package: a\n\nPackage: b\n' })),
        /not valid/,
      ],
      ['a_1_all.deb', await debOf({ Package: '../up' }), /name is invalid/],
      ['a_1_all.deb', await debOf({ Version: 'one' }), /version is invalid/],
      ['a_1_all.deb', await debOf({ Architecture: 'arm64' }), /arm64/],
      ['a.txt', 'text', /distribution/],
    ];
    for (const [name, content, message] of wrong) {
      const response = await put(project, `${name}?distribution=bookworm`, content);
      expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
    }
    const deb = await debOf();
    const named: [string, RegExp][] = [
      ['hello.deb?distribution=sid', /distribution/],
      ['hello.deb?distribution=bookworm&component=contrib', /component/],
      ['hello.exe', /file_name/],
    ];
    for (const [name, message] of named) {
      const response = await put(project, name, deb);
      expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
    }
    expect(await world.db.packageFile.count({ where: { projectId: project.id } })).toBe(0);
    expect((await put(project, 'hello.deb?distribution=bookworm', deb)).status).toBe(201);
    expect((await put(project, 'hello.deb?distribution=bookworm', deb)).status).toBe(400);
    expect(await world.db.packageFile.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('reads control archives packed by xz and zstd', async () => {
    const project = await withDistribution();
    const xz = Buffer.from(
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/ANNdABcLyOfZ5dHD1ZV9QtvcDlxs1FkS8hVsSau8cvab5FHj1yh9prPhEMpb9fLSLGpEr17XrrLUuE3OoSEoJNU+4Oc1gmuiEMpo+axHF/PXO31vULVFnEforzJCD33UKgy+L0EzW6SEiqO5tTarjQpKXIn1Lo8dw0cwGsNMym19WIVJXfJIZV+Vppd56d1gTjOMelyZqaudJ6u4xB/mMQ4deL2oJ8Y2lBdIcgEXXudTrbG4rGJXNvuPQKNplJvkfuZL6pUwlSbBMcU4850UMLQS8jpQ8gAAAL5UUSdHMnMLAAHvAYBQAACxzMKYscRn+wIAAAAABFla',
      'base64',
    );
    const uploaded = await put(project, 'packed-xz.deb?distribution=bookworm', debWith('control.tar.xz', xz));
    expect(uploaded.status).toBe(201);
    if (typeof zlib.zstdCompressSync === 'function') {
      const plain = await tarOf({ './control': controlOf({ Package: 'packed-zst' }) }, false);
      const zst = debWith('control.tar.zst', zlib.zstdCompressSync(plain));
      expect((await put(project, 'packed-zst.deb?distribution=bookworm', zst)).status).toBe(201);
    }
    const index = await text(`${at(project)}/dists/bookworm/main/binary-amd64/Packages`);
    expect(index).toContain('Package: packed-xz\n');
    expect(index).toContain('Description: packed by xz\n Further text.\n');
  });

  it('of a group has the packages of the projects below it that the caller may read', LONG, async () => {
    const group = await world.group({ owner, visibility: 'private' });
    await world.api(owner).post(`/groups/${group.id}/members`, { user_id: developer.id, access_level: 30 });
    const path = `/groups/${group.id}/-/debian_distributions`;
    expect((await world.api(developer).post(path, { codename: 'trixie' })).status).toBe(201);
    const [one, two] = [await made({ namespaceId: group.id }), await made({ namespaceId: group.id })];
    // Projects publish in the distribution of the group, or in their own of the same name.
    await world.api(developer).post(`/projects/${two.id}/debian_distributions`, { codename: 'trixie' });
    expect((await put(one, 'a_1_all.deb?distribution=trixie', await debOf({ Package: 'aa' }))).status).toBe(201);
    expect((await put(two, 'b_1_all.deb?distribution=trixie', await debOf({ Package: 'bb' }))).status).toBe(201);
    const at = `/groups/${group.id}/-/packages/debian`;
    const index = await text(`${at}/dists/trixie/main/binary-amd64/Packages`, developer);
    const paths = [...index.matchAll(/^Filename: (.*)$/gm)].map(([, file]) => file);
    expect(paths).toEqual([
      `pool/trixie/${one.id}/a/aa/1.0-1/a_1_all.deb`,
      `pool/trixie/${two.id}/b/bb/1.0-1/b_1_all.deb`,
    ]);
    for (const file of paths) expect((await send(developer, 'GET', `${at}/${file}`)).status).toBe(200);
    expect((await send(stranger, 'GET', `${at}/dists/trixie/InRelease`)).status).toBe(404);
    expect(await text(`${path}/trixie/key.asc`, developer)).toContain('PUBLIC KEY');
    expect(await text(`/projects/${one.id}/packages/debian/dists/trixie/InRelease`)).toBe('404');
    await world.api(owner).post(`/groups/${group.id}/members`, { user_id: stranger.id, access_level: 10 });
    // Guests see the private group, and no packages of its projects.
    expect(await text(`${at}/dists/trixie/main/binary-amd64/Packages`, stranger)).toBe('');
    // Nor does the hash of what others see, or of what one has seen before, show them.
    const byHash = `${at}/dists/trixie/main/binary-amd64/by-hash/SHA256/${digest('sha256', Buffer.from(index))}`;
    expect(await text(byHash, developer)).toBe(index);
    expect(await text(byHash, stranger)).toBe('404');
    expect((await world.api(developer).delete(`${path}/trixie`)).status).toBe(403);
    expect((await world.api(owner).delete(`${path}/trixie`)).status).toBe(202);
  });
});
