import type { Session, WebContents } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import {
  guardContents,
  guardSession,
  mayOpenExternally,
} from '../../../../main/hosts/electron/security.ts';
import { FakeContents, FakeSession } from '../../../fakes/electron.ts';

describe('permissions', () => {
  const session = new FakeSession('');
  guardSession(session as unknown as Session);

  const request = (permission: string, requestingUrl: string): boolean => {
    const answer = vi.fn();
    session.handlers['permission-request']!(
      ...([null, permission, answer, { requestingUrl }] as never[]),
    );
    return answer.mock.calls[0]![0] as boolean;
  };

  it.each([
    'media',
    'geolocation',
    'notifications',
    'midi',
    'fullscreen',
    'openExternal',
    'usb',
    'clipboard-read',
    'fileSystem',
    'unknown',
  ])('denies %s', (permission) => {
    expect(request(permission, 'app://bundle/')).toBe(false);
    expect(
      session.handlers['permission-check']!(...([null, permission, 'app://bundle/'] as never[])),
    ).toBe(false);
  });

  it('lets our page, and no other, write text to the clipboard', () => {
    expect(request('clipboard-sanitized-write', 'app://bundle/')).toBe(true);
    expect(request('clipboard-sanitized-write', 'app://bundle.evil/')).toBe(false);
    expect(request('clipboard-sanitized-write', 'https://app://bundle')).toBe(false);
  });

  it('denies devices and screens', () => {
    expect(session.handlers['device']!()).toBe(false);
    const answer = vi.fn();
    session.handlers['display-media']!(...([{}, answer] as never[]));
    expect(answer).toHaveBeenCalledWith({});
  });

  it.each([
    ['app://bundle/assets/a.js', false],
    ['data:image/png;base64,AAAA', false],
    ['https://example.com/a.png', true],
    ['http://127.0.0.1:8080/', true],
    ['file:///etc/passwd', true],
    ['ws://example.com/', true],
  ])('of the request %s: cancelled %s', (url, cancelled) => {
    const answer = vi.fn();
    session.handlers['before-request']!(...([{ url }, answer] as never[]));
    expect(answer).toHaveBeenCalledWith({ cancel: cancelled });
  });
});

describe('contents', () => {
  const opened: string[] = [];
  const contents = new FakeContents(1);
  guardContents(contents as unknown as WebContents, (url) => opened.push(url));

  it.each(['https://example.com/', 'mailto:a@example.com'])(
    'never open a window: %s opens outside',
    (url) => {
      expect(contents.windowOpenHandler!({ url })).toEqual({ action: 'deny' });
      expect(opened).toContain(url);
    },
  );

  it.each(['file:///etc/passwd', 'smb://host/share', 'javascript:alert(1)', 'app://bundle/', 'x'])(
    'never open a window, nor anything outside: %s',
    (url) => {
      const before = opened.length;
      expect(contents.windowOpenHandler!({ url })).toEqual({ action: 'deny' });
      expect(opened).toHaveLength(before);
    },
  );

  it.each([
    ['https://example.com/', true, true],
    ['app://bundle/other', true, true],
    ['app://bundle.evil/', true, true],
    ['app://bundle/', false, true],
    ['app://bundle/', true, false],
  ])('navigating to %s (main frame %s) is stopped: %s', (url, isMainFrame, isStopped) => {
    const preventDefault = vi.fn();
    contents.emit('will-frame-navigate', { url, isMainFrame, preventDefault });
    expect(preventDefault).toHaveBeenCalledTimes(isStopped ? 1 : 0);
  });

  it.each(['will-redirect', 'will-attach-webview'])('stops %s', (name) => {
    const preventDefault = vi.fn();
    contents.emit(name, { preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
  });

  it('hands no script and no malformed address to the system', () => {
    expect(mayOpenExternally('not an address')).toBe(false);
    expect(mayOpenExternally('vbscript:x')).toBe(false);
  });
});
