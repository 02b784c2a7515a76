// One protocol of several in depth, which the long run has.
// @module-tag long
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/git_program.ts';
import { digest, registryWorld, tarOf } from '../support/registry.ts';

const { world, master, developer, reporter, made, send } = await registryWorld();

const metadata = (name: string, version: string, platform = 'ruby') => `--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: ${version}
platform: ${platform}
authors:
- Ann
date: 2026-11-29 00:00:00.000000000 Z
dependencies:
- !ruby/object:Gem::Dependency
  name: rake
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '1'
    - - "<"
      - !ruby/object:Gem::Version
        version: '20'
  type: :runtime
  prerelease: false
- !ruby/object:Gem::Dependency
  name: minitest
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '0'
  type: :development
description:
email:
homepage: https://example.org
licenses:
- MIT
metadata:
  source_code_uri: https://example.org/code
required_ruby_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: '2.7'
required_rubygems_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: '0'
rubygems_version: 3.3.15
specification_version: 4
summary: 'Says: hello'
`;

const gem = (...given: Parameters<typeof metadata>) =>
  tarOf({ 'metadata.gz': gzipSync(metadata(...given)), 'data.tar.gz': gzipSync('data') }, false);

/** Pushes as `gem push` does: the token alone is the credential. */
const push = (project: { id: number }, content: Buffer, who = developer) =>
  send(null, 'POST', `/projects/${project.id}/packages/rubygems/api/v1/gems`, {
    headers: { Authorization: who.token, 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(content),
  });

describe('The source of gems', () => {
  it('lists what was pushed in the compact index, and gives it back', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/rubygems`;
    const content = await gem('greeting', '1.2.0');
    const answer = await push(project, content);
    expect([answer.status, await answer.text()]).toEqual([201, 'Successfully registered gem: greeting (1.2.0)\n']);
    const native = await gem('greeting', '1.2.0', 'x86_64-linux');
    expect((await push(project, native)).status).toBe(201);
    const get = async (name: string) => (await send(reporter, 'GET', `${at}/${name}`)).text();
    const info = await get('info/greeting');
    const ends = (bytes: Buffer) => `checksum:${digest('sha256', bytes)},ruby:>= 2.7,rubygems:>= 0`;
    expect(info).toBe(
      `---\n1.2.0 rake:>= 1&< 20|${ends(content)}\n1.2.0-x86_64-linux rake:>= 1&< 20|${ends(native)}\n`,
    );
    const [, versions] = (await get('versions')).split('---\n');
    expect(versions).toBe(`greeting 1.2.0,1.2.0-x86_64-linux ${digest('md5', info)}\n`);
    expect(await get('names')).toBe('---\ngreeting\n');
    const file = await send(reporter, 'GET', `${at}/gems/greeting-1.2.0.gem`);
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
    expect((await send(reporter, 'GET', `${at}/info/none`)).status).toBe(404);
    const etag = (await send(reporter, 'GET', `${at}/versions`)).headers.get('etag') ?? '';
    expect((await send(reporter, 'GET', `${at}/versions`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('has the older index, which Ruby reads', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/rubygems`;
    for (const version of ['1.2.0', '1.10.0', '2.0.0.beta']) await push(project, await gem('greeting', version));
    const bytes = async (name: string) =>
      Buffer.from(await (await send(reporter, 'GET', `${at}/${name}`)).arrayBuffer());
    const directory = scratch();
    const files = {
      specs: gunzipSync(await bytes('specs.4.8.gz')),
      latest: gunzipSync(await bytes('latest_specs.4.8.gz')),
      early: gunzipSync(await bytes('prerelease_specs.4.8.gz')),
      gem: inflateSync(await bytes('quick/Marshal.4.8/greeting-1.2.0.gemspec.rz')),
      needs: await bytes('api/v1/dependencies?gems=greeting,none'),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);
    const script = `
      read = ->(name) { Marshal.load(File.binread(name)) }
      %w[specs latest early].each { |name| puts read.(name).map { |n, v, p| [n, v, p].join(" ") }.join("; ") }
      spec = read.("gem")
      puts [spec.full_name, spec.summary, spec.date.strftime("%F"), spec.authors.inspect, spec.homepage, spec.metadata.inspect].join(" | ")
      puts spec.dependencies.map(&:to_s).join("; "), spec.required_ruby_version
      puts read.("needs").first.values_at(:name, :number, :platform, :dependencies).inspect`;
    const { stdout } = await promisify(execFile)('ruby', ['-e', script], { cwd: directory });
    expect(stdout.trim().split('\n')).toEqual([
      'greeting 1.2.0 ruby; greeting 1.10.0 ruby',
      'greeting 1.10.0 ruby',
      'greeting 2.0.0.beta ruby',
      'greeting-1.2.0 | Says: hello | 2026-11-29 | ["Ann"] | https://example.org | {"source_code_uri"=>"https://example.org/code"}',
      'rake (>= 1, < 20); minitest (>= 0, development)',
      '>= 2.7',
      '["greeting", "1.2.0", "ruby", [["rake", ">= 1, < 20"]]]',
    ]);
  });

  it('keeps a version once, refuses what is no gem, and lets maintainers yank', async () => {
    const project = await made();
    expect((await push(project, await gem('greeting', '1.0.0'))).status).toBe(201);
    expect((await push(project, await gem('greeting', '1.0.0'))).status).toBe(409);
    expect((await push(project, await gem('greeting', '2.0.0'), reporter)).status).toBe(403);
    const wrong = [
      Buffer.from('no gem'),
      await tarOf({ a: 'b' }, false),
      await tarOf({ 'metadata.gz': 'not packed' }, false),
      await tarOf({ 'metadata.gz': gzipSync('x'.repeat(2_000_000)) }, false),
      await tarOf({ 'metadata.gz': gzipSync('--- [1]') }, false),
      await gem('../up', '1.0.0'),
      await gem('greeting', 'x/../y'),
    ];
    for (const content of wrong) expect((await push(project, content)).status).toBe(400);
    const yank = `/projects/${project.id}/packages/rubygems/api/v1/gems/yank?gem_name=greeting&version=1.0.0`;
    expect((await send(developer, 'DELETE', yank)).status).toBe(403);
    expect((await send(master, 'DELETE', yank)).status).toBe(200);
    expect(await world.db.package.count({ where: { projectId: project.id } })).toBe(0);
  });
});
