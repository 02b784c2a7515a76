import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import type { TestUser } from '../../support/world.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of projects themselves. */
export function ownRules({ world, users, owner, anyone, reading, project, fresh }: ProjectGiven): Record<string, Rule> {
  const unstarred = async (at: Stage) => {
    await world.db.projectStar.deleteMany({ where: { projectId: at.project.id } });
    return project(at);
  };
  const urls = { link_url: 'https://example.org/a', image_url: 'https://example.org/b' };
  const badge = async ({ project: { id: projectId } }: Stage) => {
    const data = { projectId, linkUrl: urls.link_url, imageUrl: urls.image_url };
    return { id: projectId, badge_id: (await world.db.badge.create({ data, select: { id: true } })).id };
  };
  const stored = async ({ project: { id: projectId } }: Stage) => {
    const place = { projectId, secret: randomBytes(16).toString('hex'), fileName: 'a.txt' };
    await world.as(owner).uploads.write(place, Readable.from([Buffer.from('text')]), 4);
    const { id } = await world.db.upload.create({ data: { ...place, size: 4 }, select: { id: true } });
    return { ...place, id };
  };
  const uploaded = async (at: Stage) => ({ ...project(at), upload_id: (await stored(at)).id });
  const addressed = async (at: Stage) => {
    const { secret, fileName } = await stored(at);
    return { ...project(at), secret, filename: fileName };
  };
  const attributed = async ({ project: { id: projectId } }: Stage) => {
    await world.db.customAttribute.deleteMany({ where: { projectId } });
    await world.db.customAttribute.create({ data: { projectId, key: 'place', value: 'a' } });
    return { id: projectId, key: 'place' };
  };
  const attached = (at: Stage) => ({ ...project(at), file: new File(['text'], 'a.txt') });

  return {
    'GET /projects/:id': { ...anyone, given: project },
    'GET /projects/:id/statistics': { success: 200, level: 30, given: project },
    'GET /projects/:id/storage': { success: 200, level: 100, given: project },
    'GET /projects/:id/custom_attributes': { success: 200, level: 100, given: attributed },
    'GET /projects/:id/custom_attributes/:key': { success: 200, level: 100, given: attributed },
    'PUT /projects/:id/custom_attributes/:key': {
      success: 200,
      level: 100,
      given: async (at) => ({ ...(await attributed(at)), value: 'b' }),
    },
    'DELETE /projects/:id/custom_attributes/:key': { success: 204, level: 100, given: attributed },
    'GET /projects/:id/notification_settings': { ...reading, given: project, visitor: 401 },
    'PUT /projects/:id/notification_settings': {
      ...reading,
      given: (at) => ({ ...project(at), level: 'watch' }),
    },
    'PUT /projects/:id': {
      success: 200,
      level: 40,
      given: (at) => ({ ...project(at), description: world.unique('about ') }),
    },
    'DELETE /projects/:id': { success: 202, level: 50, given: fresh },
    'POST /projects/:id/fork': { success: 201, level: 20, open: 'user', roles: { external: 403 }, given: fresh },
    'POST /projects/:id/fork/:forked_from_id': {
      success: 201,
      level: 100,
      given: async (at) => ({ ...(await fresh(at)), forked_from_id: at.elsewhere.id }),
    },
    'DELETE /projects/:id/fork': {
      success: 204,
      level: 50,
      given: async (at) => {
        const { id } = await fresh(at);
        await world.db.project.update({ where: { id }, data: { forkedFromId: at.elsewhere.id } });
        return { id };
      },
    },
    'POST /projects/:id/star': {
      ...reading,
      success: 201,
      given: unstarred,
    },
    'POST /projects/:id/unstar': { ...reading, success: 304, given: unstarred },
    'POST /projects/:id/archive': { success: 201, level: 50, given: fresh },
    'POST /projects/:id/unarchive': { success: 201, level: 50, given: fresh },
    'GET /projects/:id/forks': { ...anyone, given: project },
    'GET /projects/:id/starrers': { ...anyone, given: project },
    'GET /projects/:id/groups': { ...anyone, given: project },
    'GET /projects/:id/avatar': {
      ...anyone,
      given: async (at) => {
        const type = 'image/png';
        const [projectId, avatarKey] = [at.project.id, 'a.png'];
        const avatar = { projectId, type, content: Buffer.from('picture') };
        await world.db.projectAvatar.upsert({ where: { projectId }, create: avatar, update: avatar });
        await world.db.project.update({ where: { id: projectId }, data: { avatarKey } });
        return project(at);
      },
    },
    'PUT /projects/:id/transfer': {
      success: 200,
      level: 50,
      given: async (at) => {
        // Everybody who has a role may create projects there.
        const { id, fullPath } = await world.group({ owner, visibility: 'public' });
        for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
          await world.member({ id, kind: 'group' }, users[role] as TestUser, 'master');
        }
        return { ...(await fresh(at)), namespace: fullPath };
      },
    },
    'POST /projects/:id/housekeeping': { success: 201, level: 40, given: project },
    'POST /projects/:id/export': { success: 202, level: 40, given: project },
    'GET /projects/:id/export': { success: 200, level: 40, given: project },
    'GET /projects/:id/export/download': {
      success: 200,
      level: 40,
      given: async (at) => {
        const [projectId, content] = [at.project.id, Buffer.from('an archive')];
        const place = { projectId, secret: 'a'.repeat(32), fileName: 'project.tar.gz' };
        const store = exportsStore(world);
        if (!(await store.has(place))) await store.write(place, Readable.from([content]), content.length);
        for (const { id: userId } of Object.values(users).filter((one) => one !== undefined)) {
          const made = {
            secret: place.secret,
            size: content.length,
            finishedAt: new Date(),
            state: 'finished' as const,
          };
          const where = { projectId_userId: { projectId, userId } };
          await world.db.projectExport.upsert({ where, create: { projectId, userId, ...made }, update: made });
        }
        return project(at);
      },
    },
    'GET /projects/:id/import': { ...anyone, given: project },
    'GET /projects/:id/badges': { ...anyone, given: project },
    'GET /projects/:id/badges/:badge_id': { ...anyone, given: badge },
    'GET /projects/:id/badges/render': { success: 200, level: 40, given: (at) => ({ ...project(at), ...urls }) },
    'POST /projects/:id/badges': { success: 201, level: 40, given: (at) => ({ ...project(at), ...urls }) },
    'PUT /projects/:id/badges/:badge_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await badge(at)), name: world.unique('badge') }),
    },
    'DELETE /projects/:id/badges/:badge_id': { success: 204, level: 40, given: badge },
    'GET /projects/:id/users': { ...anyone, given: project },
    'GET /projects/:id/events': { ...anyone, given: project },
    ...Object.fromEntries(
      ['issues', 'merge_requests', 'milestones', 'users', 'notes', 'commits', 'blobs', 'wiki_blobs'].map((scope) => [
        `GET /projects/:id/search?scope=${scope}`,
        { ...reading, given: (at: Stage) => ({ ...project(at), search: 'text' }) },
      ]),
    ),
    'GET /projects/:id/uploads': { success: 200, level: 40, given: project },
    'GET /projects/:id/uploads/:upload_id': { success: 200, level: 40, given: uploaded },
    'DELETE /projects/:id/uploads/:upload_id': { success: 204, level: 40, given: uploaded },
    'GET /projects/:id/uploads/:secret/:filename': { ...anyone, given: addressed },
    'DELETE /projects/:id/uploads/:secret/:filename': { success: 204, level: 40, given: addressed },
    'GET /projects/:id/templates/:type': { ...anyone, given: (at) => ({ ...project(at), type: 'dockerfiles' }) },
    'GET /projects/:id/templates/licenses/:name': { ...anyone, given: (at) => ({ ...project(at), name: 'mit' }) },
    'GET /projects/:id/templates/:type/:name': {
      ...anyone,
      given: (at) => ({ ...project(at), type: 'gitignores', name: 'Node' }),
    },
    'POST /projects/:id/uploads': { ...reading, success: 201, given: attached },
  };
}
