/**
 * Content security policy of a page that may load its own files and talk to its own host, and nothing else.
 * Agents' text is hostile: it must not be able to load an image from elsewhere or run anything.
 *
 * @param connect sources beside 'self' that the page may connect to
 * @param script  sources of scripts
 */
export function contentSecurityPolicy(
  connect: readonly string[] = [],
  script: readonly string[] = ["'self'"],
): string {
  return [
    "default-src 'none'",
    `script-src ${script.join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** Headers of every answer of both hosts, beside its content security policy. */
export const isolationHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=(), display-capture=()',
};
