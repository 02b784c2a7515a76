// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { addressOf, startWorldWithMail } from '../support/accounts.ts';
import { alertsOn } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import type { TestUser } from '../support/world.ts';

const { world, mailbox, browser, resetLink } = await startWorldWithMail();

const choose = (user: TestUser, data: { preferredLanguage?: string; timezone?: string }) =>
  world.db.user.update({ where: { id: user.id }, data });

it('speaks the language that a user chose, whatever the browser asks for, and else what it asks for', async () => {
  const [german, undecided] = [await world.user(), await world.user()];
  await choose(german, { preferredLanguage: 'de' });
  const own = await signedIn(world, german);
  const { headers } = await own.get('/profile', { 'Accept-Language': 'en' });
  expect(headers['content-language']).toBe('de');
  expect(own.page).toContain('<html lang="de">');
  expect(own.page).toContain('Profil speichern</button>');
  const other = await signedIn(world, undecided);
  await other.get('/profile', { 'Accept-Language': 'de' });
  expect(other.page).toContain('Profil speichern</button>');
  await other.get('/profile', { 'Accept-Language': 'fr' });
  expect(other.page).toContain('Save profile</button>');
});

it('tells exact times in the time zone that a user chose', async () => {
  const [here, nowhere] = [await world.user(), await world.user()];
  await choose(here, { timezone: 'Asia/Tokyo' });
  const project = await world.project({ owner: here, visibility: 'public' });
  const { id } = await world.issue(project, here, { title: 'When' });
  await world.db.issue.update({ where: { id }, data: { createdAt: new Date('2026-03-01T22:30:00Z') } });
  const [inTokyo, anywhere] = [await signedIn(world, here), await signedIn(world, nowhere)];
  await inTokyo.get(`/${project.fullPath}/-/issues/1`);
  expect(inTokyo.page).toContain('title="2026-03-02 07:30 Asia/Tokyo"');
  expect(inTokyo.page).not.toContain('2026-03-01 22:30');
  await anywhere.get(`/${project.fullPath}/-/issues/1`);
  expect(anywhere.page).toContain('title="2026-03-01 22:30 UTC"');
});

it('says in the reader’s language why a form was refused, and over the API in English', async () => {
  const visitor = browser();
  const german = { 'Accept-Language': 'de' };
  await visitor.get('/users/sign_up', german);
  const fields = { name: '', username: '-', email: 'x', new_password: 'short', new_password_again: 'other' };
  const form = new URLSearchParams({
    ...fields,
    authenticity_token: /name="authenticity_token" value="([^"]*)"/.exec(visitor.page)?.[1] ?? '',
  });
  const sent = { headers: { ...german, 'Content-Type': 'application/x-www-form-urlencoded' }, body: `${form}` };
  const { status } = await visitor.request('POST', '/users/sign_up', sent);
  expect(status).toBe(422);
  const problems = alertsOn(visitor.page);
  expect(problems).toContain('Vollständiger Name darf nicht leer sein');
  expect(problems).toContain('Neues Passwort ist zu kurz (mindestens 8 Zeichen)');
  expect(problems).toContain('Die Passwörter stimmen nicht überein');
  const owner = await world.user();
  await choose(owner, { preferredLanguage: 'de' });
  const { body } = await world.api(owner).post('/projects', { name: '' });
  expect(JSON.stringify(body)).toContain("can't be blank");
  const own = await signedIn(world, owner);
  await own.get('/projects/new');
  await own.submit('/projects', { name: '', path: '', visibility: 'private' });
  expect(alertsOn(own.page).join()).toContain('darf nicht leer sein');
});

it('shows error pages in the reader’s language', async () => {
  const visitor = browser();
  await visitor.get('/no/such/place', { 'Accept-Language': 'de' });
  expect(visitor.page).toContain('<h1>Seite nicht gefunden</h1>');
  expect(visitor.page).toContain('Unter dieser Adresse gibt es nichts, oder es ist nicht öffentlich');
});

it('mails each user in their own language, and in English where they chose none', async () => {
  const [german, english] = [await world.user(), await world.user()];
  await choose(german, { preferredLanguage: 'de' });
  const { mail: reset } = await resetLink(german);
  expect(reset.text).toContain(`Hallo ${german.username},`);
  expect(reset.text).toContain('Jemand hat darum gebeten, das Passwort Ihres Kontos zurückzusetzen.');
  expect((await resetLink(english)).mail.subject).toContain('Reset your password');
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  for (const user of [german, english]) await world.member(project, user, 'developer');
  const assigned = { title: 'Broken', assignee_ids: [german.id], description: `@${english.username}, see this` };
  expect((await world.api(owner).post(`/projects/${project.id}/issues`, assigned)).status).toBe(201);
  const [toGerman, toEnglish] = [await mailbox.next(addressOf(german)), await mailbox.next(addressOf(english))];
  expect(toGerman.text).toContain(`Name of ${owner.username} hat ein Issue geöffnet.`);
  expect(toGerman.text).toContain('Sie erhalten diese E-Mail, weil Sie zugewiesen sind.');
  expect(toEnglish.text).toContain(`Name of ${owner.username} opened an issue.`);
  expect(toEnglish.text).toContain("You're receiving this because you were mentioned.");
});
