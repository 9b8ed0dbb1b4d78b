#ifndef CSSL_SHIM_H
#define CSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Only what Swift cannot import: function-like macros and variadic functions.

// Macro over SSL_CTX_ctrl.
static inline int CSSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

// Macro over SSL_CTX_ctrl.
static inline int CSSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

// Macro over SSL_CTX_ctrl.
static inline long CSSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

// Macro over SSL_CTX_ctrl; takes its own reference to the certificate.
static inline int CSSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

// The option is a macro with a cast. It concerns TLS 1.2; SSL_CTX_set_num_tickets is about TLS 1.3 only.
static inline void CSSL_CTX_forbid_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
}

// The options are macros with casts.
static inline void CSSL_CTX_forbid_renegotiation_and_compression(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

// Macro over SSL_ctrl.
static inline int CSSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// Macro over BIO_ctrl.
static inline long CSSL_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

// Macro over BIO_ctrl: an empty memory BIO means "later", not "end of file".
static inline void CSSL_BIO_set_mem_eof_return(BIO *bio, int value) {
    BIO_set_mem_eof_return(bio, value);
}

// Macro over BIO_ctrl.
static inline int CSSL_BIO_pending(BIO *bio) {
    return (int)BIO_pending(bio);
}

// Variadic underneath (EVP_PKEY_Q_keygen).
static inline EVP_PKEY *CSSL_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

// Macro made of other macros.
static const int CSSL_keypair = EVP_PKEY_KEYPAIR;

// Macro over ERR_GET_REASON; inline in the header since 3.0 but with a cast that Swift does not see through.
static inline int CSSL_error_reason(unsigned long code) {
    return ERR_GET_REASON(code);
}

// Macro: the library number of an error code.
static inline int CSSL_error_library(unsigned long code) {
    return ERR_GET_LIB(code);
}

// Type-safe stack macros.
static inline int CSSL_X509_stack_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

static inline X509 *CSSL_X509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline int CSSL_PKCS7_stack_count(const STACK_OF(PKCS7) *stack) {
    return sk_PKCS7_num(stack);
}

static inline PKCS7 *CSSL_PKCS7_stack_value(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}

static inline void CSSL_PKCS7_stack_free(STACK_OF(PKCS7) *stack) {
    sk_PKCS7_pop_free(stack, PKCS7_free);
}

static inline int CSSL_PKCS12_bags_count(const STACK_OF(PKCS12_SAFEBAG) *bags) {
    return sk_PKCS12_SAFEBAG_num(bags);
}

static inline PKCS12_SAFEBAG *CSSL_PKCS12_bags_value(const STACK_OF(PKCS12_SAFEBAG) *bags, int index) {
    return sk_PKCS12_SAFEBAG_value(bags, index);
}

static inline void CSSL_PKCS12_bags_free(STACK_OF(PKCS12_SAFEBAG) *bags) {
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}

// Macros, and a union whose members are of many types: how a content is encrypted; NULL when it is not, or not by a
// passphrase.
static inline const X509_ALGOR *CSSL_PKCS7_encryption(const PKCS7 *content) {
    if (!PKCS7_type_is_encrypted(content) || content->d.encrypted == NULL || content->d.encrypted->enc_data == NULL) {
        return NULL;
    }
    return content->d.encrypted->enc_data->algorithm;
}

// A union, as above.
static inline int CSSL_PKCS7_is_plain(const PKCS7 *content) {
    return PKCS7_type_is_data(content) && content->d.data != NULL;
}

// Type-safe stack macros, and an attribute for which OpenSSL 3.0 has no function: the list of attributes exists once the bag
// has a friendly name. Without this attribute, Java does not take a certificate in a .p12 as trusted.
static inline int CSSL_PKCS12_add_trusted_certificate(
    STACK_OF(PKCS12_SAFEBAG) **bags, X509 *certificate, const char *name) {
    PKCS12_SAFEBAG *bag = PKCS12_add_cert(bags, certificate);
    if (bag == NULL || PKCS12_add_friendlyname_utf8(bag, name, -1) != 1) {
        return 0;
    }
    STACK_OF(X509_ATTRIBUTE) *attributes = (STACK_OF(X509_ATTRIBUTE) *)PKCS12_SAFEBAG_get0_attrs(bag);
    ASN1_OBJECT *trusted = OBJ_txt2obj("2.16.840.1.113894.746875.1.1", 1);
    ASN1_OBJECT *anyUsage = OBJ_txt2obj("2.5.29.37.0", 1);
    X509_ATTRIBUTE *attribute = NULL;
    if (attributes != NULL && trusted != NULL && anyUsage != NULL) {
        attribute = X509_ATTRIBUTE_create_by_OBJ(NULL, trusted, V_ASN1_OBJECT, anyUsage, -1);
    }
    // The attribute owns the object of its value.
    if (attribute == NULL) {
        ASN1_OBJECT_free(anyUsage);
    }
    ASN1_OBJECT_free(trusted);
    if (attribute == NULL || sk_X509_ATTRIBUTE_push(attributes, attribute) <= 0) {
        X509_ATTRIBUTE_free(attribute);
        return 0;
    }
    return 1;
}

// Macro over OPENSSL_free with file and line.
static inline void CSSL_free(void *memory) {
    OPENSSL_free(memory);
}

#endif
