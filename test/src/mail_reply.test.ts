import { describe, expect, it } from 'vitest';
import { replyIn } from '#src/domain/mail_in/reply.ts';
import { textOfHtml } from '#src/domain/tracking/markdown/text_of_html.ts';

describe('What a sender has written', () => {
  it.each([
    ['On Mon, Nov 30, 2026 at 10:00 AM Gantry <gantry@example.org> wrote:'],
    ['On Mon, Nov 30, 2026 at 10:00 AM Gantry <\ngantry@example.org> wrote:'],
    ['Am 30.11.26 um 10:00 schrieb Gantry:'],
    ['Le lun. 30 nov. 2026 à 10:00, Gantry <gantry@example.org> a écrit :'],
    ['El lun, 30 nov 2026 a las 10:00, Gantry (<gantry@example.org>) escribió:'],
    ['Il giorno lun 30 nov 2026 alle ore 10:00 Gantry <gantry@example.org> ha scritto:'],
    ['Op ma 30 nov 2026 om 10:00 schreef Gantry <gantry@example.org>:'],
    ['Em seg., 30 de nov. de 2026 às 10:00, Gantry <gantry@example.org> escreveu:'],
  ])('is without the quotation below "%s"', (attribution) => {
    expect(replyIn(`Yes.\r\n\r\nThanks\n\n${attribution}\n\n> What?\n>\n> > More\n\n`)).toBe('Yes.\n\nThanks');
  });

  it.each([
    ['-----Original Message-----\nFrom: Gantry\n\nWhat?'],
    ['-----Ursprüngliche Nachricht-----\nVon: Gantry\n\nWas?'],
    ['________________________________\nFrom: Gantry\nWhat?'],
    ['From: Gantry <gantry@example.org>\nSent: Monday, 30 November 2026 10:00\nTo: Ada\n\nWhat?'],
    ['*Von:* Gantry\n*Gesendet:* Montag\n\nWas?'],
    ['-- \nAda Lovelace\nAnalyst'],
    ['Sent from my iPhone'],
    ['Sent from my iPhone\n\nOn Monday, Gantry wrote:\n> What?'],
  ])('is without what "%s" begins', (below) => {
    expect(replyIn(`Yes.\n\n${below}`)).toBe('Yes.');
  });

  it.each([
    ['> What?\n\nThis.\n\n> And when?\n\nNow.'],
    ['On Monday we met.\nHe wrote:\n\nnothing'],
    ['```\n--- a\n+++ b\n```\n--verbose'],
    ['Title\n--\n\ntext'],
    ['From: here it goes on'],
  ])('is whole in "%s"', (text) => {
    expect(replyIn(text)).toBe(text);
  });

  // Each of these takes minutes where a line is looked at for each other line.
  it.each([
    ['On a b\n', 'On a b'],
    ['> q\n', ''],
    ['On a wrote:\n> q\n', 'On a wrote:'],
    ['-- a\n', '-- a'],
    ['From: a\n', 'From: a'],
    ['\n', ''],
    ['On \n\n', 'On'],
    ['_', '_'],
    ['On a wrote: ', 'On a wrote:'],
    ['-----Original', '-----Original'],
  ])('is read in time by its length where "%s" is repeated', (piece, begin) => {
    const found = replyIn(piece.repeat(Math.floor(1_000_000 / piece.length)));
    expect(found.slice(0, begin.length || 1)).toBe(begin);
  });
});

describe('The text of HTML', () => {
  it('has paragraphs, lists, links, line breaks and quotations, and nothing of scripts and styles', () => {
    const html =
      '<title>T</title><style>b{}</style><h2>Head</h2><p>One<br>two &amp; <b>bold</b>&nbsp;x</p><div>three</div><div>four</div>' +
      '<ol><li>a</li><li>b</li></ol><blockquote>said<blockquote>before</blockquote></blockquote><pre>a\n  b</pre>' +
      '<a href="javascript:alert(1)">bad</a> <a href="https://a.example/">https://a.example/</a> <script>x</script>';
    expect(textOfHtml(html)).toBe(
      '## Head\n\nOne\ntwo & bold x\n\nthree\nfour\n\n- a\n- b\n\n> said\n> > before\na\n  b\n\nbad https://a.example/',
    );
  });
});
