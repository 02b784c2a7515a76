import { afterAll, describe, expect, it } from 'vitest';
import { brandedMailer } from '#src/platform/outbound/mail/branded.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const user = await world.user();
const as = world.api(admin);
const at = '/application/appearance';
const put = (values: object) => as.put(at, values);
const visitor = new Browser(world.send);
const seen = async (path = '/users/sign_in') => {
  await visitor.get(path);
  return visitor.page;
};
const GIF = Buffer.from('GIF89a');

const EMPTY = {
  title: '',
  description: '',
  pwa_name: '',
  pwa_short_name: '',
  pwa_description: '',
  logo: null,
  header_logo: null,
  favicon: null,
  pwa_icon: null,
  member_guidelines: '',
  new_project_guidelines: '',
  profile_image_guidelines: '',
  header_message: '',
  footer_message: '',
  message_background_color: '#E75E40',
  message_font_color: '#FFFFFF',
  email_header_and_footer_enabled: false,
};

afterAll(async () => {
  await put(EMPTY);
});

describe('The appearance', () => {
  it('is read and changed by administrators alone', async () => {
    expect((await as.get(at)).body).toEqual(EMPTY);
    expect((await put({ title: 'Ours' })).body).toEqual({ ...EMPTY, title: 'Ours' });
    for (const [who, status] of [
      [world.api(user), 403],
      [world.api(), 401],
    ] as const) {
      expect((await who.get(at)).status).toBe(status);
      expect((await who.put(at, { title: 'Theirs' })).status).toBe(status);
    }
    expect((await as.get(at)).body.title).toBe('Ours');
    expect((await put({ title: '' })).body).toEqual(EMPTY);
  });

  it('refuses texts that are too long, and colours that are none, by name', async () => {
    for (const [name, value] of [
      ['title', 'x'.repeat(256)],
      ['header_message', 'x'.repeat(1025)],
      ['message_font_color', 'red;}body{display:none'],
      ['message_background_color', '#12345'],
    ] as const) {
      const { status, body } = await put({ [name]: value });
      expect([name, status, Object.keys(body.message ?? {})]).toEqual([name, 400, [name]]);
    }
    expect((await as.get(at)).body).toEqual(EMPTY);
  });

  it('is on the sign-in page, and its lines are on every page, in its colours', async () => {
    await put({
      title: 'Our server',
      description: 'For **all** <script>alert(1)</script>',
      header_message: 'Above _all_ <img src=x onerror=alert(1)>',
      footer_message: 'Below',
      message_background_color: '#112233',
    });
    const page = await seen();
    expect(page).toContain('<h1>Our server</h1>');
    expect(page).toContain('<strong>all</strong>');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('onerror=alert(1)>');
    const explored = await seen('/explore');
    expect(explored.match(/class="branding-line"/g)).toHaveLength(2);
    expect(explored).toContain('<em>all</em>');
    const [, style = ''] = /href="(\/-\/appearance\/[0-9a-f]+\.css)"/.exec(explored) ?? [];
    const css = await fetch(world.url + style);
    expect(css.headers.get('content-type')).toContain('text/css');
    expect(await css.text()).toContain('#112233');
    await put({ header_message: '', footer_message: '' });
    expect(await seen('/explore')).not.toContain('branding-line');
  });

  it('has images, several of which may come at once, and no others than browsers show without running code', async () => {
    const form = new FormData();
    form.append('logo', new File([GIF], 'logo.gif'));
    form.append('favicon', new File([GIF], 'icon.gif'));
    form.append('header_logo', new File([GIF], 'header.gif'));
    const { status, body } = await sendForm(world, '/api/v4/application/appearance', form, admin, 'PUT');
    expect(status).toBe(200);
    expect(body.logo).toMatch(/^\/uploads\/-\/system\/appearance\/logo\/1\/[0-9a-f]{32}\.gif$/);
    expect([body.favicon === null, body.header_logo === null, body.pwa_icon]).toEqual([false, false, null]);
    const page = await seen();
    for (const path of [body.logo, body.favicon, body.header_logo]) {
      expect(page).toContain(path);
      const image = await fetch(world.url + path);
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/gif']);
      expect(image.headers.get('content-security-policy')).toContain('sandbox');
    }
    expect((await fetch(`${world.url}/uploads/-/system/appearance/logo/1/${'0'.repeat(32)}.gif`)).status).toBe(404);
    const svg = new FormData();
    svg.append('favicon', new File(['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'], 'a.png'));
    const refused = await sendForm(world, '/api/v4/application/appearance', svg, admin, 'PUT');
    expect([refused.status, Object.keys(refused.body.message)]).toEqual([400, ['favicon']]);
    await put({ logo: null, favicon: null, header_logo: null });
    expect((await as.get(at)).body).toMatchObject({ logo: null, favicon: null, header_logo: null });
    expect((await fetch(world.url + body.logo)).status).toBe(404);
  });

  it('gives guidelines on the pages that they are about', async () => {
    await put({
      new_project_guidelines: 'Name **projects** well',
      member_guidelines: 'Ask **first**',
      profile_image_guidelines: 'A **face**',
    });
    const project = await world.project({ owner: user });
    const browser = await signedIn(world, user);
    for (const [path, words] of [
      ['/projects/new', 'Name <strong>projects</strong> well'],
      [`/${project.fullPath}/-/project_members/new`, 'Ask <strong>first</strong>'],
      ['/profile', 'A <strong>face</strong>'],
    ] as const) {
      await browser.get(path);
      expect(browser.page).toContain(words);
    }
  });

  it('is an app that can be installed once that has a name', async () => {
    expect((await fetch(`${world.url}/-/manifest.json`)).status).toBe(404);
    await put({ pwa_name: 'Our app', pwa_short_name: 'App' });
    const manifest = await fetch(`${world.url}/-/manifest.json`);
    expect(await manifest.json()).toMatchObject({ name: 'Our app', short_name: 'App', start_url: '/' });
    expect(await seen()).toContain('rel="manifest"');
    await put({ pwa_name: '' });
    expect(await seen()).not.toContain('rel="manifest"');
  });

  it('is in mails where that is switched on, as it is written', async () => {
    const sent: Message[] = [];
    const mailer = brandedMailer({ send: async (message) => void sent.push(message) }, world.db);
    const mail = {
      to: 'a@example.org',
      subject: 's',
      text: 'Hello\n',
      html: '<html><body class="x">Hello</body></html>',
    };
    await put({ header_message: 'Above <b>', footer_message: 'Below', message_font_color: '#445566' });
    await mailer.send(mail);
    await put({ email_header_and_footer_enabled: true });
    await mailer.send(mail);
    expect(sent[0]).toEqual(mail);
    expect(sent[1]?.text).toBe('Above <b>\n\nHello\n\nBelow\n');
    const html = sent[1]?.html ?? '';
    expect(html.indexOf('Above &#60;b&#62;')).toBeGreaterThan(html.indexOf('<body'));
    expect(html.indexOf('Above')).toBeLessThan(html.indexOf('Hello'));
    expect(html.indexOf('Below')).toBeGreaterThan(html.indexOf('Hello'));
    expect(html.endsWith('</body></html>')).toBe(true);
    expect(html).toContain('#445566');
  });

  it('costs pages no statement', async () => {
    await put({ header_message: 'Above' });
    await seen('/users/sign_in');
    const counted = await world.statements(() => seen('/users/sign_in'));
    expect(counted.filter((sql) => /appearances|broadcast_messages/.test(sql))).toEqual([]);
  });
});
