// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { languageOf } from '#src/domain/repository/languages/of_file.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import type { Json } from '../support/http.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);
const commit = (id: number, path: string, bytes: number) =>
  api.post(`/projects/${id}/repository/commits`, {
    branch: 'master',
    commit_message: path,
    actions: [{ action: 'create', file_path: path, content: 'x'.repeat(bytes) }],
  });

describe('GET /projects/:id/languages', () => {
  it('tells the share of each language, the largest first, without what others or programs wrote', async () => {
    const project = await world.project({ owner });
    const history = new HistoryBuilder();
    const files: [string, number][] = [
      ['src/main.ts', 600],
      ['src/View.tsx', 66],
      ['lib/tool.py', 200],
      ['Makefile', 133],
      ['README.md', 5_000],
      ['data.json', 5_000],
      ['node_modules/a/index.js', 5_000],
      ['app/vendor/b.rb', 5_000],
      ['site.min.js', 5_000],
      ['api.pb.go', 5_000],
      ['unknown.zzz', 5_000],
      ['empty.c', 0],
    ];
    const changes = files.map(([path, size]) => ({ path, content: 'x'.repeat(size) }));
    history.commit({ branch: 'main', changes });
    await fillRepository(world, project, history.build());
    const { status, body } = await api.get(`/projects/${project.id}/languages`);
    expect(status).toBe(200);
    expect(Object.entries(body)).toEqual([
      ['TypeScript', 66.67],
      ['Python', 20.02],
      ['Makefile', 13.31],
    ]);
    const { data } = (await world.graphql(`{ project(ref: "${project.id}") { languages { name share } } }`, {}, owner))
      .body;
    expect(data.project.languages[0]).toEqual({ name: 'TypeScript', share: 66.67 });
  });

  it('is empty for an empty repository, and for readers of the repository alone', async () => {
    const project = await world.project({ owner });
    await world.member(project, guest, 'guest');
    expect((await api.get(`/projects/${project.id}/languages`)).body).toEqual({});
    expect((await world.api(guest).get(`/projects/${project.id}/languages`)).status).toBe(403);
    expect((await world.api().get(`/projects/${project.id}/languages`)).status).toBe(404);
  });

  it('is counted after pushes by a job, and lists find projects by language', async () => {
    const [ruby, both, hidden] = [
      await world.project({ owner }),
      await world.project({ owner }),
      await world.project({ owner: await world.user() }),
    ];
    await commit(ruby.id, 'a.rb', 10);
    await commit(both.id, 'a.rb', 10);
    await commit(both.id, 'b.go', 30);
    await world.db.languageCount.create({
      data: { projectId: hidden.id, tip: '0', names: ['ruby'], languages: '[["Ruby",1]]' },
    });
    await world.idle();
    const kept = await world.db.languageCount.findUniqueOrThrow({ where: { projectId: both.id } });
    expect(kept).toMatchObject({ names: ['go', 'ruby'], languages: '[["Go",30],["Ruby",10]]' });
    const named = async (name: string, who = owner) =>
      (await world.api(who).get(`/projects?with_programming_language=${encodeURIComponent(name)}`)).body.map(
        ({ id }: Json) => id,
      );
    expect(await named('RUBY')).toEqual([both.id, ruby.id]);
    expect(await named('Go')).toEqual([both.id]);
    expect(await named('Rub')).toEqual([]);
    await world.member(both, guest, 'guest');
    expect(await named('Go', guest)).toEqual([]);
    await api.delete(`/projects/${both.id}/repository/files/b.go`, { branch: 'master', commit_message: 'Gone' });
    expect((await api.get(`/projects/${both.id}/languages`)).body).toEqual({ Ruby: 100 });
  });
});

describe('The language of a file', () => {
  it.each([
    ['a/b.CPP', 'C++'],
    ['x.h', 'C'],
    ['Dockerfile', 'Dockerfile'],
    ['build.Dockerfile', 'Dockerfile'],
    ['query.sql', null],
    ['.gitignore', null],
    ['third_party/x.c', null],
    ['my_third_party.c', 'C'],
    ['constructor', null],
    ['types.d.ts', null],
    ['noextension', null],
  ])('of %s is %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });
});
