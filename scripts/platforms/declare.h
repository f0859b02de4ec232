// How the lists of declarations beside this file are read.
#pragma once
#define NOT_ON_TV __attribute__((availability(tvos, unavailable))) __attribute__((availability(watchos, unavailable)))
#if defined(FORMWORK_VERIFY)
// Beside a system's real headers: whether each declaration agrees with theirs.
#define T(name) name
#define TYPE(type, name) _Static_assert(sizeof(name) == sizeof(type) && ((name)-1 < 0) == ((type)-1 < 0), #name)
#define OPAQUE(name) typedef name formwork_##name
#define STRUCT(name, ...)                                                                                              \
    struct formwork_##name __VA_ARGS__;                                                                                \
    _Static_assert(sizeof(struct formwork_##name) == sizeof(struct name), #name)
#define CONSTANT(type, name, value) _Static_assert((name) == (value), #name)
#define CALL(result, name, labels, ...) result name(__VA_ARGS__)
#define VARIADIC(result, name, labels, ...)
#define OVERLAY(type, name)
#elif defined(FORMWORK_CLANG)
// For a C compiler with this system as its target.
#define T(name) name
#define TYPE(type, name) typedef type name
#define OPAQUE(name) typedef struct name name
#define STRUCT(name, ...) struct name __VA_ARGS__
#define CONSTANT(type, name, value) enum { name = (value) }
#define CALL(result, name, labels, ...) result name(__VA_ARGS__)
#define VARIADIC(result, name, labels, ...)
#define OVERLAY(type, name)
#else
// For Swift on Linux. C names have a prefix: the compiler also loads glibc's, which differ.
#define T(name) formwork_##name
#define TYPE(type, name) typedef type formwork_##name __attribute__((swift_name(#name)))
#define OPAQUE(name) typedef struct formwork_##name formwork_##name __attribute__((swift_name(#name)))
#define STRUCT(name, ...) struct __attribute__((swift_name(#name))) formwork_##name __VA_ARGS__
#define CONSTANT(type, name, value) static const type formwork_##name __attribute__((swift_name(#name))) = (value)
#define CALL(result, name, labels, ...) result formwork_##name(__VA_ARGS__) __attribute__((swift_name(#name #labels)))
// Swift can't call a variadic function: the module of the system has these forms of it (Platform.swift in Swift's own
// repository, stdlib/public/Platform).
#define VARIADIC(result, name, labels, ...) VARIADIC_AT(__COUNTER__, result, name, labels, __VA_ARGS__)
#define VARIADIC_AT(number, ...) VARIADIC_NAMED(number, __VA_ARGS__)
#define VARIADIC_NAMED(number, result, name, labels, ...)                                                              \
    result formwork_##name##_##number(__VA_ARGS__) __attribute__((swift_name(#name #labels)))
// A variable that the module of the system has.
#define OVERLAY(type, name) extern type formwork_##name __attribute__((swift_name(#name), swift_attr("nonisolated(unsafe)"), swift_attr("@safe")))
#endif
